package io.fencepost.txn.group.consumer;

/**
 * How far a member is on its way to its target assignment. {@link Reconciliation} moves it.
 *
 * <table>
 * <caption>Moves of a member</caption>
 * <tr><th>from</th><th>event</th><th>to</th></tr>
 * <tr><td>any</td><td>it owns what the target takes away</td><td>UNREVOKED, epoch as before</td></tr>
 * <tr><td>any</td><td>it has revoked, but others still own what it shall get</td>
 *     <td>UNRELEASED, at the target's epoch</td></tr>
 * <tr><td>any</td><td>it has revoked, and the rest of its target is free</td>
 *     <td>STABLE, at the target's epoch</td></tr>
 * <tr><td>any</td><td>it left, was silent for a session, or UNREVOKED for its rebalance timeout</td>
 *     <td>gone</td></tr>
 * </table>
 */
public enum MemberPhase {
  STABLE(0),
  UNREVOKED(1),
  UNRELEASED(2),
  /** Written by a newer broker; such a member has to join anew. */
  UNKNOWN(127);

  private final byte code;

  MemberPhase(int code) {
    this.code = (byte) code;
  }

  byte code() {
    return code;
  }

  static MemberPhase of(byte code) {
    for (MemberPhase phase : values()) {
      if (phase.code == code) {
        return phase;
      }
    }
    return UNKNOWN;
  }
}
