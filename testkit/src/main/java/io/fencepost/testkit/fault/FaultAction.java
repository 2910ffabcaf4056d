package io.fencepost.testkit.fault;

import io.fencepost.broker.wire.WireError;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One thing to be done, with its figures; legal for its kind.
 *
 * @param number the broker or job instance, from 1; 0 is the one that passes the point
 * @param of a partition whose leader moves ({@code payments-0}), a transactional id or group whose
 *     coordinator moves; null is what the call is about
 * @param time how long it lasts, or how far a clock jumps: whole milliseconds, and below 0 for a
 *     clock only
 * @param error the answer to give
 */
public record FaultAction(
    FaultKind kind,
    int number,
    @Nullable String of,
    @Nullable Duration time,
    @Nullable WireError error) {
  /** Far more than any run lasts. */
  private static final Duration TIME_MAX = Duration.ofDays(10_000);

  /** Legal figures only. */
  public FaultAction {
    FaultKind.Takes takes = kind.takes();
    boolean timed =
        takes == FaultKind.Takes.NUMBER_AND_LENGTH
            || takes == FaultKind.Takes.SHIFT
            || kind == FaultKind.DELAYED;
    boolean numbered =
        takes == FaultKind.Takes.NUMBER
            || takes == FaultKind.Takes.NUMBER_AND_LENGTH
            || takes == FaultKind.Takes.SHIFT;
    require(number == 0 || (numbered && number > 0), kind, "no number " + number);
    require(of == null || takes == FaultKind.Takes.OF, kind, "no 'of'");
    require((time != null) == timed, kind, timed ? "a time" : "no time");
    require((error != null) == (kind == FaultKind.ANSWERED), kind, "an error, as answered does");
    require(error != WireError.NONE, kind, "another error than NONE");
    if (time != null) {
      require(time.abs().compareTo(TIME_MAX) <= 0, kind, "a time up to " + TIME_MAX);
      boolean backwards = time.isNegative() && kind == FaultKind.JUMP_CLOCK;
      require(
          !time.isZero()
              && (backwards || !time.isNegative())
              && time.equals(Duration.ofMillis(time.toMillis())),
          kind,
          "a time of whole milliseconds above 0, not " + time);
    }
  }

  /** An action that needs no more than its name. */
  static FaultAction of(FaultKind kind) {
    return new FaultAction(kind, 0, null, null, null);
  }

  /** How long it lasts. */
  public Duration duration() {
    if (time == null) {
      throw new IllegalStateException(this + " has no duration");
    }
    return time;
  }

  /** The error to answer. */
  public WireError answer() {
    if (error == null) {
      throw new IllegalStateException(this + " answers nothing");
    }
    return error;
  }

  private static void require(boolean condition, FaultKind kind, String wanted) {
    if (!condition) {
      throw new IllegalArgumentException("'" + kind.label() + "' wants " + wanted);
    }
  }

  /** What stands before the {@code @} of an act, or behind the colon. */
  String head() {
    StringBuilder text = new StringBuilder(kind.label());
    if (kind == FaultKind.DELAYED) {
      text.append('=').append(PlanText.duration(duration()));
    }
    if (error != null) {
      text.append('=').append(error.name());
    }
    if (number > 0) {
      text.append(' ').append(number);
    }
    if (of != null) {
      text.append(" of ").append(PlanText.quoted(of));
    }
    return text.toString();
  }

  /** What stands behind the place of an act. */
  String tail() {
    if (time == null || !kind.isAct()) {
      return "";
    }
    return kind == FaultKind.JUMP_CLOCK
        ? " by " + (time.isNegative() ? "" : "+") + PlanText.duration(time)
        : " for " + PlanText.duration(time);
  }

  @Override
  public String toString() {
    return head() + tail();
  }
}
