package io.fencepost.broker.cluster;

import io.fencepost.broker.port.Disk;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Reads the metadata's lines, damaged or not. */
public final class JournalReader {
  /** In the broker's directory. */
  public static final String PATH = "metadata.journal";

  private JournalReader() {}

  /**
   * One line.
   *
   * @param number from 1
   * @param position of its first byte
   * @param payload null if it does not fit its checksum
   * @param isTorn whether it looks like a write that the power took away: what is left are zeros
   * @param isLast whether the file ends with it
   */
  public record Line(
      int number, int position, @Nullable String payload, boolean isTorn, boolean isLast) {}

  /** Sees the lines in order. */
  @FunctionalInterface
  public interface Visitor {
    void line(Line line);
  }

  /** Shows all lines that have an end; what follows the last one was never answered. */
  public static void read(Disk disk, Visitor visitor) {
    byte[] content = disk.read(PATH);
    int number = 1;
    int start = 0;
    for (int at = 0; at < content.length; at++) {
      if (content[at] == '\n') {
        String line = new String(content, start, at - start, StandardCharsets.UTF_8);
        visitor.line(
            new Line(
                number, start, checked(line), line.indexOf('\0') >= 0, at + 1 == content.length));
        number++;
        start = at + 1;
      }
    }
  }

  static String line(String payload) {
    return checksum(payload) + " " + payload + "\n";
  }

  private static @Nullable String checked(String line) {
    int blank = line.indexOf(' ');
    String payload = line.substring(blank + 1);
    return blank > 0 && line.substring(0, blank).equals(checksum(payload)) ? payload : null;
  }

  private static String checksum(String payload) {
    CRC32C crc = new CRC32C();
    crc.update(payload.getBytes(StandardCharsets.UTF_8));
    return String.format("%08x", crc.getValue());
  }
}
