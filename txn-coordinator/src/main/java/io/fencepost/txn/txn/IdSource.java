package io.fencepost.txn.txn;

/** Hands out producer ids, none of them twice. */
@FunctionalInterface
public interface IdSource {
  long nextId();
}
