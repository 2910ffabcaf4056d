package io.fencepost.testkit.prove.main;

import io.fencepost.testkit.history.Event;
import java.util.List;

/** Finds the events that show what an {@link Audit} says. */
interface Evidence {
  /** There is no history. */
  Evidence NONE =
      new Evidence() {
        @Override
        public List<Event> about(Topics.Line line) {
          return List.of();
        }

        @Override
        public List<Event> aboutPartition(String partition) {
          return List.of();
        }
      };

  /**
   * Who sent a record of this content, wherever it stands, how those transactions ended, and who
   * was handed it.
   */
  List<Event> about(Topics.Line line);

  /** How far the partition was committed, where that fell, and what of it was left. */
  List<Event> aboutPartition(String partition);
}
