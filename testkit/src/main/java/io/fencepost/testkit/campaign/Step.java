package io.fencepost.testkit.campaign;

/**
 * One line of a plan.
 *
 * @param pauseMs how long to wait before it
 * @param target the broker, or the number of the partition or job instance; 0 if there is none
 * @param other the second broker, or the new leader; 0 if there is none
 */
public record Step(int number, long pauseMs, Fault fault, int target, int other) {
  @Override
  public String toString() {
    String to = other == 0 ? "" : " " + other;
    String at = target == 0 ? "" : " " + target;
    return "%3d +%4d ms %s%s%s".formatted(number, pauseMs, fault.label(), at, to);
  }
}
