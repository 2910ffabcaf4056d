package io.fencepost.testkit.net;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What one client is still to be told, in the order of its requests, whoever answers: the broker,
 * or the proxy itself. Thread-safe; writes to the client one at a time.
 */
final class AnswerQueue {
  private final OutputStream client;
  private final ArrayDeque<Slot> slots = new ArrayDeque<>();

  /** What becomes of an answer. */
  enum Fate {
    PASS,
    DROP,
    /** The connection is cut in its place. */
    CUT
  }

  /** The place of one answer. */
  static final class Slot {
    private final ProxiedRequest request;
    private final Fate fate;
    private final long delayMs;
    private boolean isFilled;
    private @Nullable ByteBuffer answer;

    Slot(ProxiedRequest request, Fate fate, long delayMs) {
      this.request = request;
      this.fate = fate;
      this.delayMs = delayMs;
    }

    ProxiedRequest request() {
      return request;
    }

    Fate fate() {
      return fate;
    }

    long delayMs() {
      return delayMs;
    }
  }

  AnswerQueue(OutputStream client) {
    this.client = client;
  }

  /** The broker will answer; call it before the broker can. */
  synchronized Slot expect(ProxiedRequest request, Fate fate, long delayMs) {
    Slot slot = new Slot(request, fate, delayMs);
    slots.add(slot);
    return slot;
  }

  /** The first answer that the broker owes; null if none. */
  synchronized @Nullable Slot owed() {
    for (Slot slot : slots) {
      if (!slot.isFilled) {
        return slot;
      }
    }
    return null;
  }

  /** How many answers the broker owes. */
  synchronized int owedCount() {
    int count = 0;
    for (Slot slot : slots) {
      count += slot.isFilled ? 0 : 1;
    }
    return count;
  }

  /**
   * Puts an answer in its place, and tells the client all whose turn has come.
   *
   * @return whether the connection is to be cut now
   */
  synchronized boolean fill(Slot slot, @Nullable ByteBuffer answer) throws IOException {
    slot.answer = answer;
    slot.isFilled = true;
    for (Slot first = slots.peek(); first != null && first.isFilled; first = slots.peek()) {
      if (first.fate == Fate.CUT) {
        return true;
      }
      slots.remove();
      if (first.fate == Fate.PASS && first.answer != null) {
        Frames.write(client, first.answer);
      }
    }
    return false;
  }
}
