package io.fencepost.testkit.junit;

import org.jspecify.annotations.Nullable;

/** What one transaction of a {@link LogScript} does. Not thread-safe. */
public final class TransactionScript {
  private final LogScript log;
  private final String name;

  TransactionScript(LogScript log, String name) {
    this.log = log;
    this.name = name;
  }

  /** Values without keys, each at the next offset. */
  public TransactionScript send(@Nullable Object... values) {
    for (Object value : values) {
      log.send(name, null, value);
    }
    return this;
  }

  /** One record with a key; a null value is a tombstone. */
  public TransactionScript sendKeyed(Object key, @Nullable Object value) {
    log.send(name, key, value);
    return this;
  }

  /** Ends it here. */
  public void commit() {
    log.commit(name);
  }

  /** Ends it here, and none of it counts. */
  public void abort() {
    log.abort(name);
  }
}
