package io.fencepost.txn.coordinator;

import io.fencepost.broker.batch.MalformedBatchException;
import io.fencepost.broker.wire.WireException;
import io.fencepost.txn.txn.TxnEntry;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What stands in {@code __transaction_state} and in its rows, for tools that show it. */
public final class TxnRecords {
  private TxnRecords() {}

  /** The fields of a record; null if it is of a kind that is not known or does not parse. */
  public static @Nullable Map<String, Object> describe(
      @Nullable ByteBuffer key, @Nullable ByteBuffer value) {
    try {
      String id = key == null ? null : TxnCodec.transactionalId(key.duplicate());
      if (id == null) {
        return null;
      }
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("transactionalId", id);
      if (value == null) {
        fields.put("state", "Dead");
      } else {
        put(fields, TxnCodec.entry(id, value.duplicate()));
      }
      return fields;
    } catch (WireException | BufferUnderflowException | MalformedBatchException foreign) {
      return null;
    }
  }

  /** The fields of a row that holds a record's value. */
  public static @Nullable Map<String, Object> describeRow(String id, byte[] value) {
    try {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("transactionalId", id);
      put(fields, TxnCodec.entry(id, ByteBuffer.wrap(value)));
      return fields;
    } catch (WireException | BufferUnderflowException | MalformedBatchException foreign) {
      return null;
    }
  }

  private static void put(Map<String, Object> fields, TxnEntry entry) {
    fields.put("state", entry.state().label());
    fields.put("producerId", entry.producer().producerId());
    fields.put("producerEpoch", entry.producer().epoch());
    if (!entry.last().isNone()) {
      fields.put("lastProducerId", entry.last().producerId());
      fields.put("lastProducerEpoch", entry.last().epoch());
    }
    if (entry.nextProducerId() >= 0) {
      fields.put("nextProducerId", entry.nextProducerId());
    }
    fields.put("timeoutMs", entry.timeoutMs());
    fields.put("startMs", entry.startMs());
    fields.put("updatedMs", entry.updatedMs());
    fields.put("transactionVersion", entry.clientVersion());
    fields.put("partitions", entry.partitions().stream().map(Object::toString).toList());
  }
}
