package io.fencepost.broker.log;

/** The offset at which a leader epoch ended, exclusive; -1 and -1 if the epoch is unknown. */
public record EpochEnd(int leaderEpoch, long endOffset) {
  public static final EpochEnd UNKNOWN = new EpochEnd(-1, -1);
}
