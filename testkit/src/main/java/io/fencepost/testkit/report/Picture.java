package io.fencepost.testkit.report;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Transactions;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of the logs that a violation is about: rows of offsets with what stands there, and what
 * readers were handed of it.
 *
 * @param transactions that are told apart, in the order of their letters
 */
record Picture(List<Strip> strips, List<Actor> transactions) {
  /**
   * A transaction and how it ended.
   *
   * @param lost what was sent in it and not acknowledged
   */
  record Actor(String name, Transactions.@Nullable Fate fate, List<String> lost) {}

  /**
   * A row of offsets of a partition.
   *
   * @param readers who were handed something here, or passed it, each with its row
   */
  record Strip(TopicPartition partition, List<Cell> cells, List<ReaderRow> readers) {}

  /** What a reader was handed, for each cell of the strip. */
  record ReaderRow(String reader, String isolation, List<Sight> sights) {}

  /** What a reader did at an offset. */
  enum Sight {
    /** It was not there, as far as the history says. */
    NONE,
    HANDED,
    /** It passed the offset and was handed nothing there. */
    PASSED,
    /** The same, rightly: the record was aborted, and the reader asked for committed ones. */
    WITHHELD
  }

  /**
   * What stands at an offset.
   *
   * @param values that were seen there; more than one should not be; none if it is not known
   * @param transaction place in the list of those that are told apart; -1 for none
   * @param marker whether a marker that commits or aborts stands there; null for none
   * @param events of the witness that are about it, by their numbers from 1
   * @param remark what is wrong with it; empty if nothing
   */
  record Cell(
      long offset,
      List<String> values,
      int transaction,
      @Nullable Boolean marker,
      List<Integer> events,
      String remark) {}
}
