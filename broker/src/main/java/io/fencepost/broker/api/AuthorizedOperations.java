package io.fencepost.broker.api;

/** There is no authorization: whoever asks may do everything that exists for the resource. */
final class AuthorizedOperations {
  /** Read, write, create, delete, alter, describe, describe configs, alter configs. */
  static final int TOPIC = bits(3, 4, 5, 6, 7, 8, 10, 11);

  /** Create, alter, describe, cluster action, describe and alter configs, idempotent write. */
  static final int CLUSTER = bits(5, 7, 8, 9, 10, 11, 12);

  private AuthorizedOperations() {}

  private static int bits(int... operations) {
    int bits = 0;
    for (int operation : operations) {
      bits |= 1 << operation;
    }
    return bits;
  }
}
