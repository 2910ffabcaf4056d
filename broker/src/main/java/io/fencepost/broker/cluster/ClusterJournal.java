package io.fencepost.broker.cluster;

import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The metadata on disk: a file of text lines, each with its checksum in front, that says in order
 * what changed. A change is on disk when its call returns, and not in the file if it throws. A torn
 * last line is cut off: it was never answered. All other damage is refused, as topics would be lost
 * by it. At every start the file is rewritten to just what is still true, closed by a line that
 * says so: a file that ends before it was cut by somebody else.
 *
 * <p>Called under the controller's lock.
 */
final class ClusterJournal {
  private static final String PATH = JournalReader.PATH;
  private static final String HEADING = "fencepost-metadata 1";

  /** Ends what a rewrite left; a file without it was cut off. */
  static final String WHOLE = "whole";

  private static final String PARTITION_FILE = "/partition.metadata";
  private static final long REWRITE_BYTES = 4L << 20;

  private final Disk disk;
  private @Nullable AppendFile file;
  private long rewrittenBytes;

  ClusterJournal(Disk disk) {
    this.disk = disk;
  }

  /**
   * The state that the journal tells, with every leader epoch one higher than before: whoever still
   * talks about the time before this start can be told apart.
   *
   * @param restarted what becomes of the topics besides
   */
  ClusterState recover(
      ClusterState empty, Function<Collection<TopicState>, List<TopicState>> restarted) {
    if (!disk.exists(PATH)) {
      refuseOrphans();
      return empty;
    }
    Recovery recovery = new Recovery(empty);
    JournalReader.read(disk, recovery);
    if (!recovery.isWhole) {
      throw new DiskException(PATH + " was cut off, topics would be lost: restore the file");
    }
    ClusterState state = recovery.state;
    ClusterState elected =
        state.withTopics(restarted.apply(JournalLine.nextEpochs(state.topics().values())));
    if (elected.isWorthKeeping()) {
      rewrite(elected);
    }
    return elected;
  }

  private void refuseOrphans() {
    String orphan = orphan(disk);
    if (orphan != null) {
      throw new DiskException(
          PATH
              + " is missing, but there are partitions such as "
              + orphan
              + ": restore the file, or use an empty directory");
    }
  }

  /**
   * A partition's directory where there is no journal, or null. Topics are in the journal before
   * their partitions have a directory.
   */
  static @Nullable String orphan(Disk disk) {
    for (String name : disk.list("")) {
      if (disk.exists(name + PARTITION_FILE)) {
        return name;
      }
    }
    return null;
  }

  /** Applies line by line. What the power took away in the middle of one reads as zeros. */
  private static final class Recovery implements JournalReader.Visitor {
    private ClusterState state;
    private boolean isWhole;

    Recovery(ClusterState empty) {
      this.state = empty;
    }

    @Override
    public void line(JournalReader.Line line) {
      String payload = line.payload();
      if (payload == null && !(isWhole && line.isLast() && line.isTorn())) {
        throw new DiskException(
            "line " + line.number() + " of " + PATH + " is damaged: restore the file");
      }
      if (WHOLE.equals(payload)) {
        isWhole = true;
      } else if (payload != null) {
        state = apply(state, payload, line.number() - 1);
      }
    }
  }

  static ClusterState apply(ClusterState state, String payload, long lineNumber) {
    if (lineNumber == 0) {
      if (!payload.equals(HEADING)) {
        throw new DiskException(
            PATH + " begins with '" + payload + "', this version reads only '" + HEADING + "'");
      }
      return state;
    }
    return JournalLine.apply(state, payload);
  }

  /** Makes the changes durable, all or (after a crash) the first few of them. */
  void append(ClusterState next, List<String> payloads) {
    AppendFile journal = file;
    if (journal == null || journal.sizeBytes() > rewrittenBytes + REWRITE_BYTES) {
      rewrite(next);
      return;
    }
    StringBuilder lines = new StringBuilder();
    payloads.forEach(payload -> lines.append(JournalReader.line(payload)));
    long sizeBytes = journal.sizeBytes();
    try {
      journal.append(ByteBuffer.wrap(lines.toString().getBytes(StandardCharsets.UTF_8)));
      journal.force();
    } catch (DiskException refused) {
      takeBack(journal, sizeBytes, refused);
      throw refused;
    }
  }

  /** A change that was refused must not come true at the next start. */
  private void takeBack(AppendFile journal, long sizeBytes, DiskException reason) {
    try {
      journal.truncate(sizeBytes);
      journal.force();
    } catch (DiskException alsoRefused) {
      reason.addSuppressed(alsoRefused);
    }
    // The next change does not trust this file: it writes all of it anew.
    close();
  }

  private void rewrite(ClusterState state) {
    close();
    StringBuilder lines = new StringBuilder(JournalReader.line(HEADING));
    state
        .brokerConfigs()
        .forEach(
            (broker, configs) ->
                lines.append(JournalReader.line(JournalLine.ofBroker(broker, configs))));
    state
        .groupConfigs()
        .forEach(
            (group, configs) ->
                lines.append(JournalReader.line(JournalLine.ofGroup(group, configs))));
    state
        .topics()
        .values()
        .forEach(topic -> lines.append(JournalReader.line(JournalLine.of(topic))));
    state.gone().forEach(id -> lines.append(JournalReader.line(JournalLine.gone(id))));
    lines.append(JournalReader.line(WHOLE));
    disk.replace(PATH, lines.toString().getBytes(StandardCharsets.UTF_8));
    AppendFile journal = disk.open(PATH);
    rewrittenBytes = journal.sizeBytes();
    file = journal;
  }

  /** Closes the file, and writes it anew before, so that a cut can be told from a torn line. */
  void close(ClusterState state) {
    try {
      if (file != null) {
        rewrite(state);
      }
    } finally {
      close();
    }
  }

  private void close() {
    AppendFile journal = file;
    file = null;
    if (journal != null) {
      journal.close();
    }
  }
}
