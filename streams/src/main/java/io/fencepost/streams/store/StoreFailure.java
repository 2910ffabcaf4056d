package io.fencepost.streams.store;

import org.jspecify.annotations.Nullable;

/** A store that cannot do its work (disk full, directory gone). The message names the directory. */
public final class StoreFailure extends RuntimeException {
  public StoreFailure(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
