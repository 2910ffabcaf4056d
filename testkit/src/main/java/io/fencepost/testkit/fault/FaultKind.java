package io.fencepost.testkit.fault;

/** What can be done to whom passes a point. */
public enum FaultKind {
  REQUEST_LOST("request-lost", Takes.NOTHING, "the connection is cut before the request is done"),
  ANSWER_LOST("answer-lost", Takes.NOTHING, "the request is done, and the connection is cut"),
  DELAYED("delayed", Takes.VALUE, "a request is done and its answer held back; a step waits"),
  DUPLICATED("duplicated", Takes.NOTHING, "the broker gets the request twice"),
  ANSWERED("answered", Takes.VALUE, "the answer is this error, and the request is not done"),
  FAILED("failed", Takes.NOTHING, "the step ends with an error that can be tried again"),
  KILL_JOB("kill job", Takes.NUMBER, "kill -9 of a job instance"),
  PAUSE_JOB("pause job", Takes.NUMBER_AND_LENGTH, "an instance stands still: a zombie later on"),
  RESTART_JOB("restart job", Takes.NUMBER, "an instance stops in order and starts again"),
  KILL_BROKER("kill broker", Takes.NUMBER, "kill -9 of a broker"),
  PAUSE_BROKER("pause broker", Takes.NUMBER_AND_LENGTH, "a broker stands still and goes on"),
  RESTART_BROKER("restart broker", Takes.NUMBER, "a broker stops in order and starts again"),
  MOVE_LEADER("move leader", Takes.OF, "another replica leads the partition"),
  MOVE_COORDINATOR("move coordinator", Takes.OF, "another broker coordinates the id or group"),
  ISOLATE_BROKER("isolate broker", Takes.NUMBER_AND_LENGTH, "a broker is cut off from the others"),
  FILL_DISK("fill disk", Takes.NUMBER_AND_LENGTH, "a broker's disk has no room"),
  FAIL_FORCE("fail force", Takes.NUMBER, "the next force of a broker's disk fails"),
  TEAR_TAIL("tear tail", Takes.NUMBER, "power is lost in the middle of a broker's last write"),
  JUMP_CLOCK("jump clock", Takes.SHIFT, "a wall clock is set forward or back");

  /** What stands behind a kind's name. */
  enum Takes {
    NOTHING,
    /** {@code =VALUE}: a duration or an error. */
    VALUE,
    /** The number of the broker or instance; none is the one that passes the point. */
    NUMBER,
    /** That, and {@code for DURATION}. */
    NUMBER_AND_LENGTH,
    /** {@code of NAME}; none is what the call is about. */
    OF,
    /** The number, and {@code by DURATION}. */
    SHIFT
  }

  private final String label;
  private final Takes takes;
  private final String description;

  FaultKind(String label, Takes takes, String description) {
    this.label = label;
    this.takes = takes;
    this.description = description;
  }

  /** As it stands in plans. */
  public String label() {
    return label;
  }

  /** What it does, for people. */
  public String description() {
    return description;
  }

  /** Whether it is done beside the call ({@code kill job@...}), rather than to it. */
  public boolean isAct() {
    return label.indexOf(' ') > 0;
  }

  Takes takes() {
    return takes;
  }
}
