package io.fencepost.streams.jdbc;

import java.util.List;
import javax.sql.DataSource;
import org.apache.kafka.common.serialization.Serde;

/** What all workers of a sink have in common. */
record SinkDefinition<K, V>(
    List<String> topics,
    Serde<K> keySerde,
    Serde<V> valueSerde,
    DataSource database,
    BatchWriter<K, V> writer) {}
