package io.fencepost.testkit.junit;

import java.util.ArrayDeque;
import java.util.Deque;

/** What was made for one test, to be closed with it: the last one first. Thread-safe. */
final class OpenClients implements AutoCloseable {
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  synchronized <T extends AutoCloseable> T add(T client) {
    open.push(client);
    return client;
  }

  /** Closes all of them, also when one of them fails to. */
  @Override
  public synchronized void close() {
    RuntimeException failure = null;
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception e) {
        if (e instanceof InterruptedException) {
          Thread.currentThread().interrupt();
        }
        IllegalStateException next = new IllegalStateException("a client could not be closed", e);
        if (failure == null) {
          failure = next;
        } else {
          failure.addSuppressed(next);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
