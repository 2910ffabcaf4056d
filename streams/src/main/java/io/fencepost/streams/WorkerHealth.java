package io.fencepost.streams;

import java.time.Instant;
import java.util.List;

/**
 * One worker of a job, as of twice a second.
 *
 * @param detail the last failure, or what it waits for, while FAILING, why it ended, else empty
 * @param since when it came into this state
 */
public record WorkerHealth(
    String worker, JobState state, String detail, Instant since, List<TaskHealth> tasks) {}
