package io.fencepost.testkit.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.InvalidRecordException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Retention, DeleteRecords and compaction. A segment of these topics holds half a second of
 * records' own time, so that a test decides by timestamps where a new one begins.
 */
abstract class MaintenanceBehaviour {
  /** Brokers that look often. */
  static final SortedMap<String, String> SETTINGS = settings();

  private static final long HOUR_MS = 3_600_000;

  private MaintenanceClients clients;

  private static SortedMap<String, String> settings() {
    SortedMap<String, String> settings = new TreeMap<>();
    settings.put("log.cleaner.backoff.ms", "100");
    settings.put("log.retention.check.interval.ms", "100");
    return settings;
  }

  abstract String bootstrap();

  @BeforeEach
  void open() {
    clients = new MaintenanceClients(bootstrap());
  }

  @AfterEach
  void close() {
    clients.close();
  }

  private KeptTopic compacted(String... more) {
    TreeMap<String, String> configs = new TreeMap<>();
    configs.put("cleanup.policy", "compact");
    configs.put("min.cleanable.dirty.ratio", "0.01");
    for (int i = 0; i < more.length; i += 2) {
      configs.put(more[i], more[i + 1]);
    }
    return clients.topic(configs);
  }

  @Test
  void the_last_value_of_each_key_survives_at_its_offset() {
    KeptTopic topic = compacted();
    topic.send("a", "1").send("b", "1").send("a", "2").nextSegment();
    topic.send("b", "2").send("c", "1").send("c", null).nextSegment();
    topic.send("a", "3").nextSegment().send("end", "");
    topic.awaitRecords("3 b=2", "5 c=null", "6 a=3", "7 end=");
    assertThat(topic.beginning()).isZero();
    assertThat(topic.end()).isEqualTo(8);
    assertThat(topic.readFrom(1)).startsWith("3 b=2");
  }

  @Test
  void a_tombstone_goes_when_its_time_is_over() {
    KeptTopic topic = compacted("delete.retention.ms", "1");
    topic.send("a", "1").send("b", "1").send("a", null).nextSegment().send("end", "");
    topic.awaitWhileSending("x", records -> records.noneMatch(record -> record.contains(" a=")));
    assertThat(topic.records()).startsWith("1 b=1");
  }

  @Test
  void committed_readers_see_the_same_before_and_after_and_aborted_records_go() {
    KeptTopic topic = compacted("min.compaction.lag.ms", "" + HOUR_MS);
    topic.transaction(true, "a", "1", "b", "1").nextSegment();
    topic.transaction(false, "a", "aborted", "d", "aborted").nextSegment();
    topic.transaction(true, "a", "2", "c", "1").nextSegment();
    topic.transaction(false, "c", "aborted").send("end", "");
    assertThat(topic.committed()).containsExactly("0 a=1", "1 b=1", "6 a=2", "7 c=1", "11 end=");
    topic.set("min.compaction.lag.ms", "0");
    topic.awaitRecords("1 b=1", "6 a=2", "7 c=1", "9 c=aborted", "11 end=");
    assertThat(topic.committed()).containsExactly("1 b=1", "6 a=2", "7 c=1", "11 end=");
    assertThat(topic.end()).isEqualTo(12);
  }

  @Test
  void data_of_an_open_transaction_and_behind_it_stay() throws Exception {
    KeptTopic topic = compacted();
    topic.send("a", "1").send("a", "2").nextSegment();
    try (KeptTopic.Open open = topic.begin("a", "open")) {
      topic.nextSegment().send("b", "1").send("b", "2").nextSegment().send("end", "");
      topic.awaitRecords("1 a=2", "2 a=open", "3 b=1", "4 b=2", "5 end=");
      assertThat(topic.committed()).containsExactly("1 a=2");
      open.commit();
    }
    topic.awaitRecords("2 a=open", "4 b=2", "5 end=");
    assertThat(topic.committed()).containsExactly("2 a=open", "4 b=2", "5 end=");
  }

  @Test
  void what_is_compacted_and_deleted_loses_old_segments_too() {
    KeptTopic topic = compacted("cleanup.policy", "compact,delete", "retention.ms", "" + HOUR_MS);
    topic.at(-2 * HOUR_MS).send("old", "1").nextSegment();
    topic.at(0).send("a", "1");
    // Compaction may join small segments, and then the new records keep the old one.
    topic.awaitBeginning(1);
    topic.send("a", "2").nextSegment().send("end", "");
    topic.awaitRecords("2 a=2", "3 end=");
  }

  @Test
  void a_record_without_key_is_refused_where_keys_decide() {
    assertThatThrownBy(() -> compacted().send(null, "1"))
        .hasCauseInstanceOf(InvalidRecordException.class);
  }

  @Test
  void old_segments_go_when_their_time_is_over() {
    KeptTopic topic = clients.topic(Map.of("retention.ms", "" + HOUR_MS));
    topic.at(-2 * HOUR_MS).send("a", "1").nextSegment().send("b", "1").nextSegment();
    topic.at(0).send("c", "1");
    topic.awaitRecords("2 c=1");
    topic.awaitBeginning(2);
    assertThat(topic.end()).isEqualTo(3);
    assertThatThrownBy(() -> topic.readFrom(1)).isInstanceOf(OffsetOutOfRangeException.class);
  }

  @Test
  void old_segments_go_when_there_are_too_many_bytes() {
    KeptTopic topic = clients.topic(Map.of("retention.bytes", "1500"));
    String large = "x".repeat(1000);
    for (int i = 0; i < 4; i++) {
      topic.send("k" + i, large).nextSegment();
    }
    topic.awaitBeginning(2);
    assertThat(topic.records()).hasSize(2).first().asString().startsWith("2 k2=");
  }

  @Test
  void deleted_records_are_gone_for_every_reader() throws Exception {
    KeptTopic topic = clients.topic(Map.of());
    topic.send("a", "1").send("b", "1").send("c", "1");
    assertThat(topic.delete(RecordsToDelete.beforeOffset(2))).isEqualTo(2);
    assertThat(topic.beginning()).isEqualTo(2);
    assertThat(topic.records()).containsExactly("2 c=1");
    assertThatThrownBy(() -> topic.readFrom(1)).isInstanceOf(OffsetOutOfRangeException.class);
    assertThat(topic.delete(RecordsToDelete.beforeOffset(-1))).isEqualTo(3);
    assertThatThrownBy(() -> topic.delete(RecordsToDelete.beforeOffset(4)))
        .hasCauseInstanceOf(org.apache.kafka.common.errors.OffsetOutOfRangeException.class);
    topic.send("d", "1");
    assertThat(topic.records()).containsExactly("3 d=1");
  }
}
