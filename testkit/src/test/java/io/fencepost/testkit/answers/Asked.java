package io.fencepost.testkit.answers;

/** The broker under question, as the groups of questions see it. */
interface Asked {
  /** A connection of this test. */
  Talk talk();

  /** Transactions over {@link #talk}. */
  TxnTalk txn();

  /** Where real clients connect to. */
  String bootstrapServers();

  /** A second connection; the caller closes it. */
  Talk connect();
}
