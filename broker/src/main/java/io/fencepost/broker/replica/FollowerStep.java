package io.fencepost.broker.replica;

/** What a follower does after it has taken an answer. */
enum FollowerStep {
  /** Ask for the next. */
  ASK_ON,
  /** Ask when what it has is on disk, which somebody else sees to. */
  WHEN_SAFE,
  /** Ask a little later. */
  PAUSE,
  /** Its term is over. */
  OVER
}
