package io.fencepost.streams.operators;

import org.jspecify.annotations.Nullable;

/**
 * What a {@link ClosingProcessor} has to do next. The bytes must not change.
 *
 * @param key bytes of the message key
 * @param startMs inclusive
 * @param endMs exclusive
 * @param dueMs the event time at which it fell due
 * @param aggregate what the window came to; null if it only looked closed and is to be put where it
 *     now belongs
 */
public record ClosedWindow(
    byte[] key, long startMs, long endMs, long dueMs, byte @Nullable [] aggregate) {}
