package io.fencepost.testkit.campaign;

/**
 * One line of a plan.
 *
 * @param pauseMs how long to wait before it
 * @param target the broker, or the number of the partition or job instance; 0 if there is none
 * @param other the second broker, or the new leader; 0 if there is none
 */
public record Step(int number, long pauseMs, Fault fault, int target, int other) {
  /** What is done, and to whom: {@code kill 2}. */
  public String what() {
    String to = other == 0 ? "" : " " + other;
    String at = target == 0 ? "" : " " + target;
    return fault.label() + at + to;
  }

  @Override
  public String toString() {
    return "%3d +%4d ms %s".formatted(number, pauseMs, what());
  }
}
