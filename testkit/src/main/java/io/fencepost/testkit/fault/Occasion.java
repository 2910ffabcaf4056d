package io.fencepost.testkit.fault;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The where and when of a fault; what is done makes it a plan. Without a time it is the first call.
 * Immutable. Brokers and job instances are numbered from 1; 0 is the one that passes the point.
 */
public final class Occasion {
  private final FaultPoint point;
  private final FaultFilter filter;
  private final Timing timing;

  Occasion(FaultPoint point, FaultFilter filter, Timing timing) {
    this.point = point;
    this.filter = filter;
    this.timing = timing;
  }

  /** Only calls about this partition. */
  public Occasion partition(String topic, int partition) {
    return filtered(filter.withPartition(new TopicPartition(topic, partition)));
  }

  /** Only calls about a partition of this topic. */
  public Occasion topic(String name) {
    return filtered(filter.withTopic(name));
  }

  /** Only calls of this transactional id. */
  public Occasion transactionalId(String id) {
    return filtered(filter.withTransactionalId(id));
  }

  /** Only calls of this client id. */
  public Occasion clientId(String id) {
    return filtered(filter.withClientId(id));
  }

  /** Only calls of this consumer group. */
  public Occasion group(String id) {
    return filtered(filter.withGroup(id));
  }

  /** The n-th of these calls, from 1. */
  public Occasion occurrence(long nth) {
    return timed(Timing.occurrence(nth));
  }

  /** Every n-th of these calls. */
  public Occasion every(long nth) {
    return timed(Timing.every(nth));
  }

  /** A share of these calls, above 0 and at most 1; the same ones for the same seed. */
  public Occasion rate(double share, long seed) {
    return timed(Timing.share(share, seed));
  }

  /** The request is not done, and the connection is cut. */
  public FaultPlan requestLost() {
    return does(FaultKind.REQUEST_LOST);
  }

  /** The request is done, and the connection is cut. */
  public FaultPlan answerLost() {
    return does(FaultKind.ANSWER_LOST);
  }

  /** The request is done, its answer held back; a step waits. */
  public FaultPlan delayed(Duration by) {
    return does(FaultKind.DELAYED, 0, null, by);
  }

  /** The broker gets the request twice; the second answer is dropped. */
  public FaultPlan duplicated() {
    return does(FaultKind.DUPLICATED);
  }

  /** The answer is this error, and the request is not done. */
  public FaultPlan answered(WireError error) {
    return plan(new FaultAction(FaultKind.ANSWERED, 0, null, null, error));
  }

  /** The step ends with an error that can be tried again. */
  public FaultPlan failed() {
    return does(FaultKind.FAILED);
  }

  /** Kill -9 of the job instance that passes here. */
  public FaultPlan killJob() {
    return killJob(0);
  }

  /** Kill -9 of a job instance. */
  public FaultPlan killJob(int instance) {
    return does(FaultKind.KILL_JOB, instance, null, null);
  }

  /** The instance that passes here stands still so long, and goes on beside its successor. */
  public FaultPlan pauseJob(Duration length) {
    return does(FaultKind.PAUSE_JOB, 0, null, length);
  }

  /** The job instance that passes here stops in order and starts again. */
  public FaultPlan restartJob() {
    return does(FaultKind.RESTART_JOB);
  }

  /** Kill -9 of a broker. */
  public FaultPlan killBroker(int broker) {
    return does(FaultKind.KILL_BROKER, broker, null, null);
  }

  /** A broker stands still so long, and goes on. */
  public FaultPlan pauseBroker(int broker, Duration length) {
    return does(FaultKind.PAUSE_BROKER, broker, null, length);
  }

  /** A broker stops in order and starts again. */
  public FaultPlan restartBroker(int broker) {
    return does(FaultKind.RESTART_BROKER, broker, null, null);
  }

  /** Another replica leads that partition. */
  public FaultPlan moveLeader(String topic, int partition) {
    return does(FaultKind.MOVE_LEADER, 0, topic + "-" + partition, null);
  }

  /** Another broker coordinates the transactional id or group of the call. */
  public FaultPlan moveCoordinator() {
    return does(FaultKind.MOVE_COORDINATOR);
  }

  /** A broker is cut off from the others so long. */
  public FaultPlan isolateBroker(int broker, Duration length) {
    return does(FaultKind.ISOLATE_BROKER, broker, null, length);
  }

  /** A broker's disk has no room so long. */
  public FaultPlan fillDisk(int broker, Duration length) {
    return does(FaultKind.FILL_DISK, broker, null, length);
  }

  /** The next force of a broker's disk fails. */
  public FaultPlan failForce(int broker) {
    return does(FaultKind.FAIL_FORCE, broker, null, null);
  }

  /** Power is lost in the middle of a broker's last write. */
  public FaultPlan tearTail(int broker) {
    return does(FaultKind.TEAR_TAIL, broker, null, null);
  }

  /** A broker's wall clock is set forward, or back by a time below 0. */
  public FaultPlan jumpClock(int broker, Duration by) {
    return does(FaultKind.JUMP_CLOCK, broker, null, by);
  }

  /** Any action that may be done there. */
  public FaultPlan plan(FaultAction action) {
    return new FaultPlan(List.of(new PlannedFault(point, filter, timing, action)));
  }

  private FaultPlan does(FaultKind kind) {
    return plan(FaultAction.of(kind));
  }

  private FaultPlan does(FaultKind kind, int number, @Nullable String of, @Nullable Duration time) {
    return plan(new FaultAction(kind, number, of, time, null));
  }

  private Occasion filtered(FaultFilter other) {
    return new Occasion(point, other, timing);
  }

  private Occasion timed(Timing other) {
    return new Occasion(point, filter, other);
  }
}
