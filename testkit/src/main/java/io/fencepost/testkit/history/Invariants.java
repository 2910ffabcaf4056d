package io.fencepost.testkit.history;

import java.util.TreeMap;

/** What the ids of the invariants stand for, in a line each. */
public final class Invariants {
  private static final TreeMap<String, String> SENTENCES = new TreeMap<>();

  static {
    """
    C1 one (producer id, epoch) belongs to one session
    C2 epochs of a transactional id only grow
    C3 one leader per partition and leader epoch
    C4 transactional ids move only as the table of states says
    C5 a decided end is never reversed
    C6 markers only after a decision, and one in each partition
    C7 late requests of a zombie are refused
    C8 a repeated marker has no second effect
    C9 an answered end is the one in the logs
    C10 no commit of a fenced session is acknowledged or visible
    C11 offsets of a member that was given up are refused
    C12 a transaction beyond its timeout is aborted
    L1 what stands at an offset never changes
    L2 sequences of a producer have no gap and no repetition
    L3 last stable offset <= high watermark, and neither moves back
    L4 a transaction is ended once, the same way everywhere
    L5 readers are told of every aborted transaction in their range
    L6 every acknowledged record is in the log
    L7 compaction and retention remove nothing that is needed
    L8 replicas are byte-equal and files agree with each other
    V1 read_committed never returns an aborted record
    V2 every committed record reaches its readers
    V3 all or none of a transaction is visible
    V4 a value sent once stands at one offset
    V5 records of a transaction keep their order, readers go forward
    V6 nothing is read before its commit was asked for
    V7 no cycle of write-read dependencies
    V8 read_uncommitted does return aborted records
    P1 output = f(committed input)
    P2 offsets are committed with their transaction only
    P3 committed offsets never move back
    P4 each key is put out once
    P5 money is conserved
    P6 state = fold of the committed input
    E1 once faults stop, everything that was begun ends
    E3 once faults stop, all input is processed
    E4 once faults stop, the job obeys
    S1 what is planned to break is broken
    """
        .lines()
        .forEach(line -> put(line.split(" ", 2)));
  }

  private Invariants() {}

  private static void put(String[] entry) {
    SENTENCES.put(entry[0], entry[1]);
  }

  /** What holds, in one line; empty for an id that is not known. */
  public static String sentence(String id) {
    return SENTENCES.getOrDefault(id, "");
  }
}
