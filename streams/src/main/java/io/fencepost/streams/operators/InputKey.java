package io.fencepost.streams.operators;

import org.jspecify.annotations.Nullable;

/**
 * The key as it came: of the input record at hand, or of the one that set the timer at hand. By
 * these bytes records find their partition, so state goes by them: what a serde makes of them and
 * back may be other bytes. The engine's context of an operator is one.
 */
public interface InputKey {
  byte @Nullable [] inputKey();
}
