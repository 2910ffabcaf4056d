package io.fencepost.broker.replica;

/** Told once how an append ended, outside of all locks of the partition, from any thread. */
@FunctionalInterface
public interface AppendCallback {
  void done(AppendResult result);
}
