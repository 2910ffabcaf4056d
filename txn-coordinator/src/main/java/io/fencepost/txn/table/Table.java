package io.fencepost.txn.table;

/** The kinds of rows that coordinators keep. Every kind is ordered by key on its own. */
public enum Table {
  /** Transactional id to its last logged value. */
  TRANSACTIONS("transactions"),
  /** Transactional ids whose transaction is neither empty nor complete. */
  OPEN_TRANSACTIONS("open-transactions"),
  /** Offsets that wait for a marker. */
  STAGED_OFFSETS("staged-offsets"),
  /** Offsets that count. */
  COMMITTED_OFFSETS("committed-offsets"),
  /** Group id to its last logged value. */
  GROUPS("groups"),
  /** Group id and key of a record to its last logged value: groups of the newer protocol. */
  CONSUMER_GROUPS("consumer-groups"),
  /** Internal partition to the offset of the next record that is not applied yet. */
  APPLIED("applied");

  private final String label;

  Table(String label) {
    this.label = label;
  }

  /** The name on disk; never changes. */
  public String label() {
    return label;
  }
}
