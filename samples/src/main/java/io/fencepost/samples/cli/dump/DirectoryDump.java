package io.fencepost.samples.cli.dump;

import io.fencepost.broker.cluster.JournalReader;
import io.fencepost.broker.disk.ReadOnlyDisk;
import io.fencepost.broker.log.LogFiles;
import io.fencepost.broker.log.LogView;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import io.fencepost.samples.client.UsageException;
import io.fencepost.txn.check.CoordinatorRows;
import io.fencepost.txn.rocks.ReadOnlyRows;
import io.fencepost.txn.table.Table;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine.Help.Ansi;

/**
 * Shows a broker's directory, a partition's directory or single files, while their broker runs, or
 * after a crash, or damaged. Changes nothing.
 */
public final class DirectoryDump {
  private static final String IDENTITY = "meta.properties";

  private final Selection selection;
  private final Sink sink;

  private DirectoryDump(Selection selection, Sink sink) {
    this.selection = selection;
    this.sink = sink;
  }

  /** For people. */
  public static DirectoryDump toText(Selection selection, PrintWriter out, Ansi colours) {
    return new DirectoryDump(selection, new TextSink(out, colours));
  }

  /** For programs: a JSON object a line. */
  public static DirectoryDump toJson(Selection selection, PrintWriter out) {
    return new DirectoryDump(selection, new JsonSink(out));
  }

  /** Shows what stands there. Throws {@link UsageException} if that is nothing of a broker's. */
  public void run(Path path) {
    if (Files.isDirectory(path)) {
      directory(path);
    } else if (Files.isRegularFile(path)) {
      file(path.toAbsolutePath());
    } else {
      throw new UsageException("there is no file or directory " + path);
    }
  }

  private void directory(Path path) {
    Disk disk = new ReadOnlyDisk(path);
    List<String> names = disk.list("");
    boolean isPartition = names.stream().anyMatch(name -> LogFiles.Kind.of(name) != null);
    if (isPartition) {
      Path name = path.toAbsolutePath().normalize().getFileName();
      partition(disk, "", topic(String.valueOf(name)));
      return;
    }
    boolean isBroker = names.contains(IDENTITY) || names.contains(JournalReader.PATH);
    boolean hasRows = names.contains(ReadOnlyRows.DIRECTORY);
    if (!isBroker && !hasRows && names.stream().noneMatch(name -> isPartition(disk, name))) {
      throw new UsageException(
          names.contains("controller")
              ? path + " is the directory of a cluster: name that of one of its brokers in it"
              : path + " is no directory of a broker or of a partition");
    }
    if (selection.takes(Kind.METADATA) && !selection.isNarrow()) {
      metadata(disk);
    }
    for (String name : names) {
      if (isPartition(disk, name) && takes(name)) {
        partition(disk, name, topic(name));
      }
    }
    if (selection.takes(Kind.STATE) && !selection.isNarrow()) {
      rows(disk);
    }
  }

  private static boolean isPartition(Disk disk, String name) {
    return disk.list(name).stream().anyMatch(inner -> LogFiles.Kind.of(inner) != null);
  }

  private boolean takes(String directory) {
    int dash = directory.lastIndexOf('-');
    String number = directory.substring(dash + 1);
    boolean isNumbered = dash > 0 && number.matches("[0-9]{1,9}");
    return isNumbered
        ? selection.takesPartition(directory.substring(0, dash), Integer.parseInt(number))
        : !selection.isNarrow();
  }

  private static String topic(String directory) {
    int dash = directory.lastIndexOf('-');
    return dash < 0 ? "" : directory.substring(0, dash);
  }

  private void partition(Disk disk, String directory, String topic) {
    try {
      if (selection.takes(Kind.LOG)) {
        new RecordDump(new LogView(disk, directory), topic, selection, sink).run();
      }
      for (String name : disk.list(directory)) {
        LogFiles.Kind kind = LogFiles.Kind.of(name);
        if (kind != null && kind != LogFiles.Kind.LOG && selection.takes(FileDump.kind(kind))) {
          String path = directory.isEmpty() ? name : directory + "/" + name;
          new FileDump(disk, selection, sink).run(path, kind);
        }
      }
    } catch (DiskException unreadable) {
      // A running broker may have removed a segment meanwhile; the others are still there.
      sink.damage(directory, -1, String.valueOf(unreadable.getMessage()));
    }
  }

  private void file(Path path) {
    String name = String.valueOf(path.getFileName());
    Path parent = Objects.requireNonNull(path.getParent(), "an absolute file has a directory");
    Disk disk = new ReadOnlyDisk(parent);
    LogFiles.Kind kind = LogFiles.Kind.of(name);
    if (kind == LogFiles.Kind.LOG) {
      LogView log = new LogView(disk, "");
      String topic = topic(String.valueOf(parent.getFileName()));
      new RecordDump(log, topic, selection, sink).run(kind.offset(name));
    } else if (kind != null) {
      new FileDump(disk, selection, sink).run(name, kind);
    } else if (name.equals(JournalReader.PATH) || name.equals(IDENTITY)) {
      metadata(disk);
    } else {
      throw new UsageException(path + " is no file of a log that can be shown");
    }
  }

  private void metadata(Disk disk) {
    if (disk.exists(IDENTITY)) {
      sink.file(IDENTITY);
      Map<String, Object> fields = new LinkedHashMap<>();
      new String(disk.read(IDENTITY), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.indexOf('=') > 0)
          .forEach(
              line ->
                  fields.put(
                      line.substring(0, line.indexOf('=')), line.substring(line.indexOf('=') + 1)));
      sink.item("identity", fields);
    }
    if (disk.exists(JournalReader.PATH)) {
      sink.file(JournalReader.PATH);
      JournalReader.read(disk, this::journalLine);
    }
  }

  private void journalLine(JournalReader.Line line) {
    String payload = line.payload();
    if (payload == null) {
      sink.damage(
          JournalReader.PATH,
          line.position(),
          "line " + line.number() + " does not fit its checksum");
      return;
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("line", line.number());
    fields.put("change", payload);
    sink.item("metadata", fields);
  }

  private void rows(Disk disk) {
    if (!ReadOnlyRows.exist(disk)) {
      return;
    }
    sink.file(ReadOnlyRows.DIRECTORY);
    try (ReadOnlyRows rows = ReadOnlyRows.open(disk)) {
      for (Table table : Table.values()) {
        rows.scan(
            table,
            new byte[0],
            (key, value) -> {
              Map<String, Object> fields = CoordinatorRows.describe(table, key, value);
              if (fields != null) {
                sink.item(table.label(), fields);
              }
              return true;
            });
      }
    } catch (DiskException damaged) {
      sink.damage(ReadOnlyRows.DIRECTORY, -1, String.valueOf(damaged.getMessage()));
    }
  }
}
