package io.fencepost.samples.cli.dump;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.CodecMissingException;
import io.fencepost.broker.batch.ControlMarker;
import io.fencepost.broker.batch.MalformedBatchException;
import io.fencepost.broker.batch.RecordHeader;
import io.fencepost.broker.batch.RecordIterator;
import io.fencepost.broker.batch.RecordView;
import io.fencepost.broker.cluster.TopicNames;
import io.fencepost.broker.log.LogView;
import io.fencepost.broker.log.SegmentWalk;
import io.fencepost.broker.log.Snapshot;
import io.fencepost.broker.log.TransactionFates;
import io.fencepost.broker.log.TransactionFates.Fate;
import io.fencepost.broker.log.TransactionFates.State;
import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.producer.ProducerSnapshot;
import io.fencepost.broker.producer.ProducerStates;
import io.fencepost.txn.coordinator.TxnCoordinator;
import io.fencepost.txn.coordinator.TxnRecords;
import io.fencepost.txn.group.GroupRecords;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The records of one partition, batch by batch. Memory does not grow with the log. */
final class RecordDump {
  private final LogView log;
  private final String topic;
  private final Selection selection;
  private final Sink sink;
  private final TransactionFates fates;

  /**
   * @param topic decides how keys and values of internal topics are read; empty if unknown
   */
  RecordDump(LogView log, String topic, Selection selection, Sink sink) {
    this.log = log;
    this.topic = topic;
    this.selection = selection;
    this.sink = sink;
    this.fates = new TransactionFates(log);
  }

  /** Shows the segments that the selection reaches. */
  void run() {
    boolean isFirst = true;
    try {
      for (long base : log.segments(selection.fromOffset(), selection.toOffset())) {
        segment(base, isFirst);
        isFirst = false;
      }
    } finally {
      fates.close();
    }
  }

  /** Shows one segment. */
  void run(long base) {
    try {
      segment(base, true);
    } finally {
      fates.close();
    }
  }

  private void segment(long base, boolean isFirst) {
    if (isFirst) {
      seed(base);
    }
    SegmentWalk walk = log.walk(base);
    try {
      sink.file(walk.path());
      while (walk.next()) {
        if (walk.isDamage()) {
          long bytes = walk.endPosition() - walk.position();
          sink.damage(walk.path(), walk.position(), walk.damage() + " (" + bytes + " bytes)");
          continue;
        }
        BatchView batch = walk.view();
        Fate fate = fates.of(walk);
        if (batch.baseOffset() > selection.toOffset()) {
          return;
        }
        if (selection.takesOffsets(batch.baseOffset(), batch.lastOffset())) {
          batch(walk, fate);
        }
      }
    } finally {
      walk.close();
    }
  }

  /** What began in front of the first segment is known from the snapshot at its start. */
  private void seed(long base) {
    Snapshot snapshot = log.snapshot(base);
    if (snapshot == null) {
      return;
    }
    ProducerStates states;
    try (AppendFile file = snapshot.open()) {
      states = ProducerSnapshot.read(file, base);
    }
    if (states != null) {
      states.forEach(
          entry -> {
            if (entry.hasOpenTransaction()) {
              fates.assumeOpen(entry.producerId(), entry.openFirstOffset());
            }
          });
    }
  }

  private void batch(SegmentWalk walk, Fate fate) {
    BatchView batch = walk.whole();
    try {
      if (fate.state() == State.CONTROL) {
        marker(batch, fate);
        return;
      }
      RecordIterator records = RecordIterator.of(batch);
      while (records.next()) {
        RecordView logged = records.record();
        if (selection.takesOffsets(logged.offset(), logged.offset())) {
          sink.item("record", fields(batch, logged, fate));
        }
      }
    } catch (MalformedBatchException | CodecMissingException unreadable) {
      sink.damage(walk.path(), walk.position(), String.valueOf(unreadable.getMessage()));
    }
  }

  private void marker(BatchView batch, Fate fate) {
    ControlMarker marker = ControlMarker.of(batch);
    Map<String, Object> fields = head(batch, batch.baseOffset(), batch.maxTimestamp(), fate);
    fields.put("marker", marker == null ? "unknown" : marker.commit() ? "commit" : "abort");
    fields.put("coordinatorEpoch", marker == null ? -1 : marker.coordinatorEpoch());
    sink.item("marker", fields);
  }

  private Map<String, Object> fields(BatchView batch, RecordView logged, Fate fate) {
    Map<String, Object> fields = head(batch, logged.offset(), logged.timestamp(), fate);
    if (batch.baseSequence() >= 0) {
      int delta = (int) (logged.offset() - batch.baseOffset());
      fields.put("sequence", BatchView.addSequence(batch.baseSequence(), delta));
    }
    ByteBuffer key = logged.key();
    ByteBuffer value = logged.value();
    Map<String, Object> decoded = decoded(key, value);
    if (decoded != null) {
      fields.put("decoded", decoded);
    } else {
      fields.put("key", Content.of(key));
      fields.put("value", Content.of(value));
    }
    Map<String, Object> headers = new LinkedHashMap<>();
    for (RecordHeader header : logged.headers()) {
      byte[] content = header.value();
      headers.put(header.key(), Content.of(content == null ? null : ByteBuffer.wrap(content)));
    }
    if (!headers.isEmpty()) {
      fields.put("headers", headers);
    }
    return fields;
  }

  private static Map<String, Object> head(BatchView batch, long offset, long timestamp, Fate fate) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("offset", offset);
    fields.put("timestamp", timestamp);
    fields.put("state", fate.state().name().toLowerCase(Locale.ROOT));
    fields.put("leaderEpoch", batch.leaderEpoch());
    if (batch.hasProducerId()) {
      fields.put("producerId", batch.producerId());
      fields.put("producerEpoch", batch.producerEpoch());
    }
    if (fate.firstOffset() >= 0) {
      fields.put("transactionFirstOffset", fate.firstOffset());
    }
    if (fate.markerOffset() >= 0) {
      fields.put("transactionMarkerOffset", fate.markerOffset());
    }
    return fields;
  }

  private @Nullable Map<String, Object> decoded(
      @Nullable ByteBuffer key, @Nullable ByteBuffer value) {
    if (topic.equals(TxnCoordinator.TOPIC)) {
      return TxnRecords.describe(key, value);
    }
    return topic.equals(TopicNames.OFFSETS) ? GroupRecords.describe(key, value) : null;
  }
}
