package io.fencepost.txn.group.consumer;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the records of groups of the newer protocol say, for tools that show it. */
public final class ConsumerRecords {
  private ConsumerRecords() {}

  /**
   * The fields of a record; null if it is not of one of {@link ConsumerCodec#isOurs our} types.
   *
   * @param key with its type
   * @param value with its version; null for a tombstone
   */
  public static @Nullable Map<String, Object> describe(ByteBuffer key, @Nullable ByteBuffer value) {
    ByteBuffer rest = key.duplicate();
    short type = rest.getShort();
    if (!ConsumerCodec.isOurs(type)) {
      return null;
    }
    ConsumerCodec.Logged logged =
        ConsumerCodec.read(type, rest, value == null ? null : value.duplicate());
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("group", logged.groupId());
    put(fields, logged.change());
    if (value == null) {
      fields.put("deleted", true);
    }
    return fields;
  }

  private static void put(Map<String, Object> fields, ConsumerChange change) {
    if (change instanceof ConsumerChange.Group group) {
      fields.put("about", "epoch");
      put(fields, group.epoch());
    } else if (change instanceof ConsumerChange.Member member) {
      putMember(fields, "member", member.memberId());
      put(fields, member.metadata());
    } else if (change instanceof ConsumerChange.TargetsMade made) {
      fields.put("about", "targets");
      put(fields, made.targets());
    } else if (change instanceof ConsumerChange.Target target) {
      putMember(fields, "target", target.memberId());
      PartitionSet partitions = target.partitions();
      if (partitions != null) {
        fields.put("partitions", list(partitions));
      }
    } else if (change instanceof ConsumerChange.Progress progress) {
      putMember(fields, "progress", progress.memberId());
      put(fields, progress.progress());
    } else if (change instanceof ConsumerChange.Pattern pattern) {
      fields.put("about", "pattern");
      fields.put("topicRegex", pattern.regex());
      put(fields, pattern.matches());
    }
  }

  private static void putMember(Map<String, Object> fields, String about, String memberId) {
    fields.put("about", about);
    fields.put("memberId", memberId);
  }

  private static void put(Map<String, Object> fields, ConsumerChange.@Nullable Epoch epoch) {
    if (epoch != null) {
      fields.put("epoch", epoch.number());
      fields.put("topicsHash", epoch.topicsHash());
    }
  }

  private static void put(Map<String, Object> fields, @Nullable MemberMetadata said) {
    if (said == null) {
      return;
    }
    putIfThere(fields, "instanceId", said.instanceId());
    putIfThere(fields, "rackId", said.rackId());
    fields.put("clientId", said.clientId());
    fields.put("host", said.clientHost());
    fields.put("topics", List.copyOf(said.topicNames()));
    putIfThere(fields, "topicRegex", said.topicRegex());
    fields.put("rebalanceTimeoutMs", said.rebalanceTimeoutMs());
    putIfThere(fields, "assignor", said.assignor());
    MemberMetadata.Classic classic = said.classic();
    if (classic != null) {
      fields.put("sessionTimeoutMs", classic.sessionTimeoutMs());
      fields.put("protocols", classic.protocols().stream().map(ClassicProtocol::name).toList());
    }
  }

  private static void putIfThere(Map<String, Object> fields, String name, @Nullable String text) {
    if (text != null) {
      fields.put(name, text);
    }
  }

  private static void put(Map<String, Object> fields, ConsumerChange.@Nullable Targets targets) {
    if (targets != null) {
      fields.put("epoch", targets.epoch());
      fields.put("madeMs", targets.madeMs());
    }
  }

  private static void put(Map<String, Object> fields, @Nullable MemberProgress progress) {
    if (progress != null) {
      fields.put("epoch", progress.epoch());
      fields.put("previousEpoch", progress.previousEpoch());
      fields.put("phase", progress.phase().name());
      fields.put("assigned", list(progress.assigned().partitions()));
      fields.put("revoking", list(progress.revoking().partitions()));
    }
  }

  private static void put(Map<String, Object> fields, ConsumerChange.@Nullable Matches matches) {
    if (matches != null) {
      fields.put("topics", List.copyOf(matches.topics()));
      fields.put("version", matches.version());
      fields.put("atMs", matches.atMs());
    }
  }

  /** The log knows topics by their ids only. */
  private static List<String> list(PartitionSet partitions) {
    List<String> all = new ArrayList<>();
    partitions.forEach((topicId, partition) -> all.add(topicId + "-" + partition));
    return all;
  }
}
