package io.fencepost.samples.cli.dump;

import io.fencepost.broker.log.LogFiles;
import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.producer.ProducerEntry;
import io.fencepost.broker.producer.ProducerSnapshot;
import io.fencepost.broker.producer.ProducerStates;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The smaller files of a partition. */
final class FileDump {
  private final Disk disk;
  private final Selection selection;
  private final Sink sink;

  FileDump(Disk disk, Selection selection, Sink sink) {
    this.disk = disk;
    this.selection = selection;
    this.sink = sink;
  }

  static Kind kind(LogFiles.Kind kind) {
    return switch (kind) {
      case LOG -> Kind.LOG;
      case INDEX -> Kind.INDEX;
      case TIMEINDEX -> Kind.TIMEINDEX;
      case TXNINDEX -> Kind.TXNINDEX;
      case SNAPSHOT -> Kind.SNAPSHOT;
      case EPOCHS, RECOVERY, START -> Kind.CHECKPOINT;
    };
  }

  void run(String path, LogFiles.Kind kind) {
    sink.file(path);
    String name = path.substring(path.lastIndexOf('/') + 1);
    try {
      switch (kind) {
        case INDEX, TIMEINDEX, TXNINDEX -> index(path, kind, kind.offset(name));
        case SNAPSHOT -> snapshot(path, kind.offset(name));
        default -> checkpoint(path, kind);
      }
    } catch (DiskException unreadable) {
      sink.damage(path, -1, String.valueOf(unreadable.getMessage()));
    }
  }

  private void index(String path, LogFiles.Kind kind, long base) {
    long behind =
        LogFiles.entries(
            disk,
            path,
            kind,
            base,
            (entryNumber, fields) -> {
              Object last = fields.getOrDefault("lastOffset", fields.get("markerOffset"));
              long offset = last instanceof Number number ? number.longValue() : 0;
              if (selection.takesOffsets(offset, offset)) {
                Map<String, Object> entry = new LinkedHashMap<>();
                entry.put("entry", entryNumber);
                entry.putAll(fields);
                sink.item(FileDump.kind(kind).name().toLowerCase(Locale.ROOT), entry);
              }
            });
    if (behind > 0) {
      sink.damage(path, -1, behind + " bytes at the end are no entry");
    }
  }

  private void snapshot(String path, long offset) {
    ProducerStates states;
    try (AppendFile file = disk.open(path)) {
      states = ProducerSnapshot.read(file, offset);
    }
    if (states == null) {
      sink.damage(path, -1, "the content does not fit its checksum, or it is not Fencepost's");
      return;
    }
    for (ProducerEntry entry : states.sorted()) {
      sink.item("producer", producer(entry));
    }
  }

  private static Map<String, Object> producer(ProducerEntry entry) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("producerId", entry.producerId());
    fields.put("producerEpoch", entry.epoch());
    fields.put("coordinatorEpoch", entry.coordinatorEpoch());
    fields.put("lastSeenMs", entry.lastSeenMs());
    if (entry.hasOpenTransaction()) {
      fields.put("openFirstOffset", entry.openFirstOffset());
    }
    List<Map<String, Object>> batches = new ArrayList<>();
    for (int i = 0; i < entry.batchCount(); i++) {
      Map<String, Object> batch = new LinkedHashMap<>();
      batch.put("baseOffset", entry.baseOffset(i));
      batch.put("lastOffset", entry.lastOffset(i));
      batch.put("firstSequence", entry.firstSequence(i));
      batch.put("lastSequence", entry.lastSequence(i));
      batches.add(batch);
    }
    fields.put("batches", batches);
    return fields;
  }

  private void checkpoint(String path, LogFiles.Kind kind) {
    Map<String, Object> fields = LogFiles.checkpoint(disk, path, kind);
    if (fields == null) {
      sink.damage(path, -1, "the content does not fit its checksum or form");
    } else {
      sink.item("checkpoint", fields);
    }
  }
}
