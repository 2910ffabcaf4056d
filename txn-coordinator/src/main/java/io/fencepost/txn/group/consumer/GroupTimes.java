package io.fencepost.txn.group.consumer;

/**
 * The times of one group of the newer protocol: its own settings {@code consumer.*}, else those of
 * the broker, {@code group.consumer.*}.
 *
 * @param sessionTimeoutMs silence after which a member is out (session.timeout.ms)
 * @param heartbeatIntervalMs told to members (heartbeat.interval.ms)
 * @param assignmentIntervalMs least time between two target assignments (assignment.interval.ms)
 */
public record GroupTimes(int sessionTimeoutMs, int heartbeatIntervalMs, int assignmentIntervalMs) {}
