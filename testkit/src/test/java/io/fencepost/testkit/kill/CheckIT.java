package io.fencepost.testkit.kill;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.check.Finding;
import io.fencepost.testkit.kill.ServerFiles.Damage;
import io.fencepost.testkit.kill.ServerFiles.End;
import io.fencepost.txn.main.DataDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The offline check of a whole directory: quiet where all is well, and it names what is not. */
class CheckIT {
  private static final int ROUNDS = 6;

  private final long seed = Long.getLong("fencepost.seed", System.nanoTime());
  private final SplittableRandom random = new SplittableRandom(seed);

  @TempDir Path temporary;

  private static List<Finding> check(Path dir) {
    List<Finding> findings = new ArrayList<>();
    DataDirectory.check(dir, findings::add);
    return findings;
  }

  @Test
  void a_directory_is_healthy_after_a_stop_and_after_a_kill_and_is_left_as_it_was()
      throws Exception {
    ServerFiles server = new ServerFiles(temporary, random);
    for (End end : End.values()) {
      Path dir = server.write(end);
      TreeMap<String, String> before = content(dir);
      List<Finding> findings = new ArrayList<>();
      DataDirectory.Checked checked = DataDirectory.check(dir, findings::add);
      assertThat(findings)
          .as("after %s", end)
          .noneMatch(found -> end == End.STOPPED || found.isDamage());
      assertThat(checked.topicCount()).isEqualTo(3);
      assertThat(checked.batchCount()).isGreaterThan(3 * ServerFiles.COMMITTED);
      assertThat(content(dir)).isEqualTo(before);
    }
  }

  @Test
  void damage_is_named_with_the_file() throws Exception {
    ServerFiles server = new ServerFiles(temporary, random);
    Path intact = server.write(End.STOPPED);
    List<String> missed = new ArrayList<>();
    TreeMap<String, Integer> named = new TreeMap<>();
    for (Path file : ServerFiles.files(intact)) {
      String name = intact.relativize(file).toString();
      for (Damage damage : Damage.values()) {
        for (int round = damage == Damage.FLIPPED ? ROUNDS : 1; round > 0; round--) {
          Path copy = server.copy(intact);
          if (!isSilent(name, damage) && server.damage(copy.resolve(name), damage)) {
            List<Finding> findings = check(copy);
            if (findings.stream().anyMatch(found -> names(found, name, damage))) {
              named.merge(kind(name), 1, Integer::sum);
            } else {
              missed.add(name + " " + damage + ": " + findings);
            }
          }
          ServerFiles.delete(copy);
        }
      }
    }
    assertThat(missed).as("seed 0x%x, named %s", seed, named).isEmpty();
    assertThat(named)
        .containsKeys(
            "log", "timeindex", "txnindex", "snapshot", "sst", "journal", "metadata", "properties");
  }

  @Test
  void partitions_whose_topic_the_metadata_lost_are_damage_and_kept() throws Exception {
    ServerFiles server = new ServerFiles(temporary, random);
    Path dir = server.write(End.KILLED);
    Path journal = dir.resolve("metadata.journal");
    String lines = Files.readString(journal);
    int head = lines.indexOf('\n', lines.indexOf("whole")) + 1;
    assertThat(lines.substring(head)).contains("topic __consumer_offsets");
    Files.writeString(journal, lines.substring(0, head));
    assertThat(check(dir))
        .anyMatch(found -> found.isDamage() && found.file().equals("__consumer_offsets-0"));
    ServerFiles.start(dir).close();
    assertThat(dir.resolve("stray-1.__consumer_offsets-0/00000000000000000000.log"))
        .isNotEmptyFile();
  }

  /** What cannot be told apart from a directory that never had it, or has no meaning. */
  private static boolean isSilent(String name, Damage damage) {
    String kind = kind(name);
    return switch (kind) {
      // Without it the directory looks like that of a server which was killed early.
      case "recovery-point" -> damage == Damage.REMOVED;
      // Plain text without a checksum.
      case "properties" -> damage == Damage.FLIPPED || damage == Damage.CUT;
      // A number without a checksum: one that is larger does no harm.
      case "producer-ids" -> damage == Damage.FLIPPED || damage == Damage.CUT;
      // Its absence only makes the next start more forgiving.
      case "durable-end" -> damage == Damage.REMOVED;
      case "rocksdb" -> true;
      default -> false;
    };
  }

  private static String kind(String name) {
    if (name.startsWith("coordinator-state")) {
      return name.endsWith(".sst") ? "sst" : "rocksdb";
    }
    String last = name.substring(name.lastIndexOf('/') + 1);
    return last.substring(last.lastIndexOf('.') + 1);
  }

  private static boolean names(Finding found, String name, Damage damage) {
    return (found.isDamage() || isMadeAnew(kind(name), damage))
        && (found.file().equals(name) || isInRows(found, name));
  }

  /** What the next start makes anew without loss is named, but not as damage. */
  private static boolean isMadeAnew(String kind, Damage damage) {
    return switch (kind) {
      case "durable-end" -> true;
      case "index", "timeindex" -> damage != Damage.FLIPPED;
      case "snapshot" -> damage == Damage.REMOVED;
      default -> false;
    };
  }

  private static boolean isInRows(Finding found, String name) {
    return name.startsWith("coordinator-state") && found.file().equals("coordinator-state");
  }

  private static TreeMap<String, String> content(Path dir) throws IOException {
    TreeMap<String, String> content = new TreeMap<>();
    try (var found = Files.walk(dir)) {
      found
          .filter(Files::isRegularFile)
          .forEach(
              file -> {
                try {
                  content.put(
                      file.toString(), Files.getLastModifiedTime(file) + " " + Files.size(file));
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    }
    return content;
  }
}
