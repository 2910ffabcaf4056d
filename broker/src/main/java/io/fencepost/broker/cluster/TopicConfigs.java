package io.fencepost.broker.cluster;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.config.BrokerKeys;
import io.fencepost.broker.config.ConfigKey;
import io.fencepost.broker.config.ConfigTable;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Every topic setting of Kafka 4.4 with type, default and rule, and {@code flush}, which is ours. A
 * setting that has no effect here yet is still accepted if it is valid; its text says so.
 */
public final class TopicConfigs {
  /** All of them, by name. */
  public static final ConfigTable TABLE =
      ConfigTable.parse(
          """
          # Which have effect
          cleanup.policy | list | delete | compact,delete | Whether old segments are deleted, compacted, or both.
          delete.retention.ms | long | 86400000 | >= 0 | How long a tombstone is kept after compaction.
          file.delete.delay.ms | long | 60000 | >= 0 | How long the file of a deleted segment stays.
          flush | string | group | group,os | What an acknowledged write means: group = on disk, os = in the page cache. Where it is not set, topics with two or more replicas have os.
          flush.messages | long | max | >= 1 | Records after which the log is forced in any case.
          flush.ms | long | max | >= 0 | Time after which the log is forced in any case.
          index.interval.bytes | int | 4096 | >= 0 | Bytes between two entries of the offset index.
          internal.segment.bytes | int | - | >= 1 | Segment size below the limit of segment.bytes, for tests.
          max.compaction.lag.ms | long | max | >= 1 | How long a record may stay uncompacted.
          max.message.bytes | int | 1048588 | >= 0 | Largest record batch that is accepted.
          message.timestamp.after.max.ms | long | 3600000 | >= 0 | How far ahead of the broker's clock a timestamp may be.
          message.timestamp.before.max.ms | long | max | >= 0 | How far behind the broker's clock a timestamp may be.
          message.timestamp.type | string | CreateTime | CreateTime,LogAppendTime | Whose clock stamps records.
          min.cleanable.dirty.ratio | double | 0.5 | 0..1 | Share of uncompacted bytes at which a log is compacted.
          min.compaction.lag.ms | long | 0 | >= 0 | How long a record surely stays uncompacted.
          min.insync.replicas | int | 1 | >= 1 | Replicas in sync that acks=all needs.
          preallocate | boolean | false | - | Whether a segment takes its space at once.
          retention.bytes | long | -1 | - | Size that a partition may reach before its oldest segments go; -1 without bound.
          retention.ms | long | 604800000 | >= -1 | How long records are kept; -1 for ever.
          segment.bytes | int | 1073741824 | >= 1048576 | Size at which a segment is closed and a new one begun.
          segment.index.bytes | int | 10485760 | >= 4 | Largest size of an offset index.
          segment.jitter.ms | long | 0 | >= 0 | Upper bound of the random part taken off the segment age.
          segment.ms | long | 604800000 | >= 1 | Age at which a segment is closed.
          unclean.leader.election.enable | boolean | false | - | Whether a replica that is not in sync may lead when no other is left.
          # Accepted, without effect here
          compression.gzip.level | int | -1 | -1..9 | Level for gzip. Batches are stored as they were sent.
          compression.lz4.level | int | 9 | 1..17 | Level for lz4. Batches are stored as they were sent.
          compression.type | string | producer | uncompressed,zstd,lz4,snappy,gzip,producer | Codec of stored batches. Batches are stored as they were sent.
          compression.zstd.level | int | 3 | -131072..22 | Level for zstd. Batches are stored as they were sent.
          errors.deadletterqueue.group.enable | boolean | false | - | Whether share groups may write dead letters here. There are no share groups.
          follower.replication.throttled.replicas | list | empty | - | Followers whose replication is slowed. Replication is never slowed.
          leader.replication.throttled.replicas | list | empty | - | Leaders whose replication is slowed. Replication is never slowed.
          local.retention.bytes | long | -2 | >= -2 | Local size with tiered storage. There is no tiered storage.
          local.retention.ms | long | -2 | >= -2 | Local time with tiered storage. There is no tiered storage.
          max.decompressed.message.bytes | int | 2147483639 | 1..2147483639 | Largest batch when it is decompressed. Batches are stored as they were sent.
          remote.copy.lag.bytes | long | -1 | >= -1 | Size before a copy to tiered storage. There is no tiered storage.
          remote.copy.lag.ms | long | 0 | >= -1 | Time before a copy to tiered storage. There is no tiered storage.
          remote.log.copy.disable | boolean | false | - | No copies to tiered storage. There is no tiered storage.
          remote.log.delete.on.disable | boolean | false | - | Whether tiered data goes when tiering ends. There is no tiered storage.
          remote.storage.enable | boolean | false | false | Tiered storage. There is none, so only false is accepted.
          """);

  private static final SortedMap<String, List<Synonym>> SYNONYMS = synonyms();

  private TopicConfigs() {}

  /** A broker setting that gives a topic setting its default. */
  public record Synonym(String brokerKey, long unitMs) {
    String toTopicValue(String brokerValue) {
      long number = unitMs == 1 ? 0 : Long.parseLong(brokerValue.trim());
      return unitMs == 1 ? brokerValue : String.valueOf(number < 0 ? number : number * unitMs);
    }
  }

  /** Why these settings are refused, or null. */
  public static @Nullable String problem(SortedMap<String, String> configs) {
    return TABLE.problem("topic config", configs);
  }

  /** The broker settings behind a topic setting, strongest first. */
  public static List<Synonym> synonymsOf(String name) {
    return SYNONYMS.getOrDefault(name, List.of());
  }

  /** A broker setting with the weaker ones that say the same in another unit, strongest first. */
  public static List<String> family(String brokerKey) {
    for (List<Synonym> synonyms : SYNONYMS.values()) {
      if (synonyms.get(0).brokerKey().equals(brokerKey)) {
        return synonyms.stream().map(Synonym::brokerKey).toList();
      }
    }
    return List.of(brokerKey);
  }

  /** What a topic gets that does not set it: an explicit or built-in value of the broker. */
  static @Nullable String brokerDefault(String name, BrokerConfig broker) {
    for (Synonym synonym : synonymsOf(name)) {
      String value = broker.explicit().get(synonym.brokerKey());
      if (value != null) {
        return synonym.toTopicValue(value);
      }
    }
    for (Synonym synonym : synonymsOf(name)) {
      ConfigKey brokerKey = BrokerKeys.TABLE.find(synonym.brokerKey());
      if (brokerKey != null && brokerKey.defaultValue() != null) {
        return synonym.toTopicValue(brokerKey.defaultValue());
      }
    }
    ConfigKey key = TABLE.find(name);
    return key == null ? null : key.defaultValue();
  }

  private static SortedMap<String, List<Synonym>> synonyms() {
    TreeMap<String, List<Synonym>> map = new TreeMap<>();
    String same =
        """
        cleanup.policy log.cleanup.policy
        compression.gzip.level compression.gzip.level
        compression.lz4.level compression.lz4.level
        compression.type compression.type
        compression.zstd.level compression.zstd.level
        delete.retention.ms log.cleaner.delete.retention.ms
        file.delete.delay.ms log.segment.delete.delay.ms
        flush flush
        flush.messages log.flush.interval.messages
        flush.ms log.flush.interval.ms
        index.interval.bytes log.index.interval.bytes
        max.compaction.lag.ms log.cleaner.max.compaction.lag.ms
        max.message.bytes message.max.bytes
        message.timestamp.after.max.ms log.message.timestamp.after.max.ms
        message.timestamp.before.max.ms log.message.timestamp.before.max.ms
        message.timestamp.type log.message.timestamp.type
        min.cleanable.dirty.ratio log.cleaner.min.cleanable.ratio
        min.compaction.lag.ms log.cleaner.min.compaction.lag.ms
        min.insync.replicas min.insync.replicas
        preallocate log.preallocate
        retention.bytes log.retention.bytes
        segment.bytes log.segment.bytes
        segment.index.bytes log.index.size.max.bytes
        unclean.leader.election.enable unclean.leader.election.enable
        """;
    same.lines()
        .map(line -> line.split(" "))
        .forEach(names -> map.put(names[0], List.of(new Synonym(names[1], 1))));
    map.put("retention.ms", timed("log.retention", true));
    map.put("segment.ms", timed("log.roll", false));
    map.put("segment.jitter.ms", timed("log.roll.jitter", false));
    return map;
  }

  private static List<Synonym> timed(String prefix, boolean withMinutes) {
    Synonym ms = new Synonym(prefix + ".ms", 1);
    Synonym hours = new Synonym(prefix + ".hours", 3_600_000);
    return withMinutes
        ? List.of(ms, new Synonym(prefix + ".minutes", 60_000), hours)
        : List.of(ms, hours);
  }
}
