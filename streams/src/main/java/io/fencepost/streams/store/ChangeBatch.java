package io.fencepost.streams.store;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes of one transaction (or of one piece of restored changelog) with the positions after it.
 */
public final class ChangeBatch {
  /** One write; a null value deletes. */
  public record Change(int table, byte[] key, byte @Nullable [] value) {}

  private final List<Change> changes = new ArrayList<>();
  private final TreeMap<Integer, RestorePoint> points = new TreeMap<>();

  public void add(int table, byte[] key, byte @Nullable [] value) {
    changes.add(new Change(table, key, value));
  }

  public void moveTo(int table, RestorePoint point) {
    points.put(table, point);
  }

  public List<Change> changes() {
    return changes;
  }

  public SortedMap<Integer, RestorePoint> points() {
    return points;
  }
}
