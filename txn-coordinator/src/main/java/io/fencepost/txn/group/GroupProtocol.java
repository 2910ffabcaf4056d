package io.fencepost.txn.group;

import java.util.Arrays;
import java.util.List;

/** One assignment strategy that a member supports, with what the member says to it. Immutable. */
public final class GroupProtocol {
  private static final int PROTOCOL_BYTES = 100;

  private final String name;
  private final byte[] metadata;

  public GroupProtocol(String name, byte[] metadata) {
    this.name = name;
    this.metadata = metadata;
  }

  public String name() {
    return name;
  }

  /** The member's subscription; callers do not write into it. */
  public byte[] metadata() {
    return metadata;
  }

  static long sizeBytes(List<GroupProtocol> protocols) {
    long sizeBytes = 0;
    for (GroupProtocol protocol : protocols) {
      sizeBytes += PROTOCOL_BYTES + protocol.name.length() + protocol.metadata.length;
    }
    return sizeBytes;
  }

  static boolean same(List<GroupProtocol> left, List<GroupProtocol> right) {
    if (left.size() != right.size()) {
      return false;
    }
    for (int i = 0; i < left.size(); i++) {
      GroupProtocol one = left.get(i);
      GroupProtocol other = right.get(i);
      if (!one.name.equals(other.name) || !Arrays.equals(one.metadata, other.metadata)) {
        return false;
      }
    }
    return true;
  }
}
