package io.fencepost.broker.replica;

import io.fencepost.broker.check.Finding;
import io.fencepost.broker.check.Findings;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.wire.Uuid;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The file in a partition's directory that says whose it is, in Kafka's form. */
public final class PartitionIdentity {
  /** Kafka's name for the file that holds the topic's id. */
  static final String FILE = "partition.metadata";

  private static final Pattern FORM =
      Pattern.compile("version: 0\ntopic_id: ([A-Za-z0-9_-]{22})\n");

  private PartitionIdentity() {}

  static byte[] content(Uuid topicId) {
    return ("version: 0\ntopic_id: " + topicId + "\n").getBytes(StandardCharsets.UTF_8);
  }

  static boolean isWellFormed(byte[] content) {
    return matcher(content).matches();
  }

  private static Matcher matcher(byte[] content) {
    return FORM.matcher(new String(content, StandardCharsets.UTF_8));
  }

  /** Whose the directory is; null if it has no such file, or a damaged one. */
  public static @Nullable Uuid topicId(Disk disk, String directory) {
    String path = directory + "/" + FILE;
    Matcher matcher = matcher(disk.exists(path) ? disk.read(path) : new byte[0]);
    return matcher.matches() ? Uuid.parse(matcher.group(1)) : null;
  }

  static void check(Disk disk, String directory, Uuid topicId, Findings findings) {
    String path = directory + "/" + FILE;
    if (!disk.exists(path)) {
      findings.damage(path, Finding.WHOLE, "the file is missing: it names the topic's id");
      return;
    }
    byte[] found = disk.read(path);
    if (!isWellFormed(found)) {
      findings.damage(path, Finding.WHOLE, "it holds no topic id");
    } else if (!Arrays.equals(found, content(topicId))) {
      findings.damage(
          path,
          Finding.WHOLE,
          "it holds another topic's id than " + topicId + ", which the metadata names");
    }
  }
}
