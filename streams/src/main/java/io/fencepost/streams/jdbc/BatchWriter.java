package io.fencepost.streams.jdbc;

import io.fencepost.streams.Message;
import java.sql.Connection;
import java.util.List;

/** As {@link RowWriter} for all messages of one transaction, as for {@code addBatch}. */
@FunctionalInterface
public interface BatchWriter<K, V> {
  /**
   * Stores them; per partition they are in the order of the topic. If this throws for what may be
   * one message's fault, it is called again with each message alone.
   */
  void write(Connection connection, List<Message<K, V>> messages) throws Exception;
}
