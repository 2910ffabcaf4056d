package io.fencepost.broker.cluster;

import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The features of this program, and the finalised level of each: what clients go by. A level that
 * was changed is on disk before it is shown, and outlives restarts; one that never was changed is
 * the highest. Thread-safe.
 */
public final class Features {
  private static final String PATH = "features.levels";

  /**
   * The finalised levels at one moment.
   *
   * @param epoch rises with each change
   * @param byName without those at level 0
   */
  public record Levels(long epoch, SortedMap<String, Integer> byName) {
    public Levels {
      byName = Collections.unmodifiableSortedMap(new TreeMap<>(byName));
    }
  }

  /** Which way a change may go. */
  public enum Direction {
    UP,
    /** Only if nothing is lost by it, which holds for all features here. */
    DOWN,
    DOWN_AT_ANY_PRICE
  }

  /** A wish for another level. */
  public record Change(String feature, int level, Direction direction) {}

  private final Disk disk;
  private final SortedMap<String, Feature> supported = new TreeMap<>();
  private volatile Levels levels;

  private Features(Disk disk, Collection<Feature> all) {
    this.disk = disk;
    TreeMap<String, Integer> highest = new TreeMap<>();
    for (Feature feature : all) {
      supported.put(feature.name(), feature);
      highest.put(feature.name(), feature.highest());
    }
    levels = new Levels(0, highest);
  }

  /** Reads what was changed earlier; throws {@link DiskException} if that is damaged. */
  public static Features open(Disk disk, Collection<Feature> supported) {
    Features features = new Features(disk, supported);
    if (disk.exists(PATH)) {
      features.levels = features.parse(new String(disk.read(PATH), StandardCharsets.UTF_8));
    }
    return features;
  }

  /** By name, unmodifiable. */
  public SortedMap<String, Feature> supported() {
    return Collections.unmodifiableSortedMap(supported);
  }

  public Levels levels() {
    return levels;
  }

  /** Makes all changes or none; returns why none was made, or null. */
  public synchronized @Nullable String change(List<Change> changes, boolean isDryRun) {
    TreeMap<String, Integer> next = new TreeMap<>(levels.byName());
    for (Change change : changes) {
      String refusal = refusal(change);
      if (refusal != null) {
        return refusal;
      }
      if (change.level() == 0) {
        next.remove(change.feature());
      } else {
        next.put(change.feature(), change.level());
      }
    }
    if (!isDryRun && !next.equals(levels.byName())) {
      Levels changed = new Levels(levels.epoch() + 1, next);
      disk.replace(PATH, text(changed).getBytes(StandardCharsets.UTF_8));
      levels = changed;
    }
    return null;
  }

  private @Nullable String refusal(Change change) {
    String wish = change.feature() + " cannot get level " + change.level() + ": ";
    Feature feature = supported.get(change.feature());
    if (feature == null) {
      return wish + "there is no such feature";
    }
    if (!feature.supports(change.level())) {
      return wish + "this broker can do " + feature.lowest() + " to " + feature.highest();
    }
    int level = levels.byName().getOrDefault(change.feature(), 0);
    boolean isUp = change.direction() == Direction.UP;
    if (isUp && change.level() < level) {
      return wish + "it has level " + level + ", and the request does not allow a downgrade";
    }
    if (!isUp && change.level() > level) {
      return wish + "it has level " + level + ", and the request asks for a downgrade";
    }
    return null;
  }

  /** One line for each feature, the ones at level 0 too: they were changed. */
  private String text(Levels of) {
    StringBuilder lines = new StringBuilder("epoch " + of.epoch() + "\n");
    for (Feature feature : supported.values()) {
      if (feature.lowest() < feature.highest()) {
        int level = of.byName().getOrDefault(feature.name(), 0);
        lines.append(feature.name()).append(' ').append(level).append('\n');
      }
    }
    return checksum(lines.toString()) + "\n" + lines;
  }

  private Levels parse(String text) {
    int first = text.indexOf('\n');
    String lines = text.substring(first + 1);
    if (first < 0 || !text.substring(0, first).equals(checksum(lines))) {
      throw new DiskException(
          PATH
              + " is damaged: restore it, or delete it to have every feature at its highest level");
    }
    TreeMap<String, Integer> byName = new TreeMap<>(levels.byName());
    long epoch = 0;
    for (String line : lines.split("\n")) {
      int blank = line.indexOf(' ');
      String name = line.substring(0, blank);
      long value = Long.parseLong(line.substring(blank + 1));
      Feature feature = supported.get(name);
      if (feature == null) {
        epoch = name.equals("epoch") ? value : epoch;
      } else if (value == 0) {
        byName.remove(name);
      } else if (feature.supports((int) value)) {
        byName.put(name, (int) value);
      } else {
        throw new DiskException(
            "%s was set to level %d, but this version can do %d to %d"
                .formatted(name, value, feature.lowest(), feature.highest()));
      }
    }
    return new Levels(epoch, byName);
  }

  private static String checksum(String text) {
    CRC32C crc = new CRC32C();
    crc.update(text.getBytes(StandardCharsets.UTF_8));
    return String.format("%08x", crc.getValue());
  }
}
