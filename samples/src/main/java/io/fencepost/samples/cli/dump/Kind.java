package io.fencepost.samples.cli.dump;

/** The kinds of files that can be shown. */
public enum Kind {
  /** Records and markers of the logs. */
  LOG,
  /** Offset indexes. */
  INDEX,
  /** Time indexes. */
  TIMEINDEX,
  /** Aborted transactions. */
  TXNINDEX,
  /** Producer snapshots. */
  SNAPSHOT,
  /** Leader epochs, recovery point and log start. */
  CHECKPOINT,
  /** The journal of topics and the directory's identity. */
  METADATA,
  /** The coordinators' rows. */
  STATE
}
