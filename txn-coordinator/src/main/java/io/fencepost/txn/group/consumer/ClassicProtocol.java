package io.fencepost.txn.group.consumer;

import java.util.Arrays;

/** One protocol of a classic member, with its subscription. Immutable. */
public final class ClassicProtocol {
  private final String name;
  private final byte[] metadata;

  public ClassicProtocol(String name, byte[] metadata) {
    this.name = name;
    this.metadata = metadata;
  }

  public String name() {
    return name;
  }

  /** Callers do not write into it. */
  public byte[] metadata() {
    return metadata;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ClassicProtocol that
        && name.equals(that.name)
        && Arrays.equals(metadata, that.metadata);
  }

  @Override
  public int hashCode() {
    return name.hashCode() * 31 + Arrays.hashCode(metadata);
  }
}
