package io.fencepost.broker.cluster;

import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.wire.Uuid;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * One change as text: {@code topic NAME ID PARTITIONS [CONFIG=VALUE]...} says how a topic is from
 * now on, {@code gone ID} that it was deleted. A partition is {@code leader:epoch:replicas:isr},
 * and goes on with {@code :eligible:last leader} if it has such; {@code 20*} in front says that
 * twenty in a row are alike. {@code partitions NAME NUMBER=PARTITION[;NUMBER=PARTITION]...} are
 * those of a topic that changed. {@code settings BROKER [CONFIG=VALUE]...} are all settings of a
 * broker ({@code *}: of all brokers) that were changed while it ran, {@code group NAME
 * [CONFIG=VALUE]...} all settings of a group.
 */
final class JournalLine {
  private static final String ALL_BROKERS = "*";
  private static final int PLAIN_FIELDS = 4;

  private JournalLine() {}

  static String of(TopicState topic) {
    StringBuilder line = new StringBuilder("topic ");
    line.append(topic.name()).append(' ').append(topic.id()).append(' ');
    String last = "";
    int alike = 0;
    List<String> runs = new ArrayList<>();
    for (PartitionState partition : topic.partitions()) {
      String text = of(partition);
      if (!text.equals(last) && alike > 0) {
        runs.add(alike + "*" + last);
        alike = 0;
      }
      last = text;
      alike++;
    }
    runs.add(alike + "*" + last);
    line.append(String.join(";", runs));
    append(topic.configs(), line);
    return line.toString();
  }

  /** How a topic that is no newcomer is from now on, in short if little of it changed. */
  static String change(TopicState before, TopicState after) {
    int count = after.partitions().size();
    if (count != before.partitions().size() || !after.configs().equals(before.configs())) {
      return of(after);
    }
    List<String> changed = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      PartitionState partition = after.partitions().get(i);
      if (!partition.equals(before.partitions().get(i))) {
        changed.add(i + "=" + of(partition));
      }
    }
    return changed.isEmpty() || changed.size() * 2 > count
        ? of(after)
        : "partitions " + after.name() + " " + String.join(";", changed);
  }

  private static String of(PartitionState partition) {
    String text =
        partition.leader()
            + ":"
            + partition.leaderEpoch()
            + ":"
            + ids(partition.replicas())
            + ":"
            + ids(partition.isr());
    boolean isPlain =
        partition.eligible().isEmpty() && partition.lastLeader() == PartitionState.NO_LEADER;
    return isPlain ? text : text + ":" + ids(partition.eligible()) + ":" + partition.lastLeader();
  }

  static String ofBroker(String broker, SortedMap<String, String> configs) {
    StringBuilder line = new StringBuilder("settings ");
    line.append(broker.isEmpty() ? ALL_BROKERS : broker);
    append(configs, line);
    return line.toString();
  }

  static String ofGroup(String group, SortedMap<String, String> configs) {
    StringBuilder line = new StringBuilder("group ").append(encode(group));
    append(configs, line);
    return line.toString();
  }

  private static void append(SortedMap<String, String> configs, StringBuilder line) {
    configs.forEach(
        (name, value) -> line.append(' ').append(name).append('=').append(encode(value)));
  }

  static String gone(Uuid topicId) {
    return "gone " + topicId;
  }

  static ClusterState apply(ClusterState state, String payload) {
    String[] words = payload.split(" ");
    switch (words[0]) {
      case "topic":
        return state.withTopics(List.of(topic(words)));
      case "gone":
        Uuid id = Uuid.parse(words[1]);
        TopicState topic = state.topic(id);
        return topic == null ? state.withGone(id) : state.withoutTopic(topic);
      case "partitions":
        return state.withTopics(List.of(changed(state, words)));
      case "settings":
        return state.withBrokerConfigs(
            words[1].equals(ALL_BROKERS) ? "" : words[1], configs(words, 2));
      case "group":
        return state.withGroupConfigs(decode(words[1]), configs(words, 2));
      default:
        throw new DiskException("the metadata has a line of the unknown kind '" + words[0] + "'");
    }
  }

  /** Every leader epoch one higher. */
  static List<TopicState> nextEpochs(Collection<TopicState> topics) {
    List<TopicState> next = new ArrayList<>();
    for (TopicState topic : topics) {
      List<PartitionState> partitions = new ArrayList<>(topic.partitions().size());
      for (PartitionState p : topic.partitions()) {
        partitions.add(p.withLeaderEpoch(p.leaderEpoch() + 1));
      }
      next.add(topic.withPartitions(partitions));
    }
    return next;
  }

  private static TopicState topic(String[] words) {
    List<PartitionState> partitions = new ArrayList<>();
    for (String run : words[3].split(";")) {
      int star = run.indexOf('*');
      String text = run.substring(star + 1);
      for (int i = Integer.parseInt(run.substring(0, star)); i > 0; i--) {
        partitions.add(partition(partitions.size(), text));
      }
    }
    String name = words[1];
    return new TopicState(
        name, Uuid.parse(words[2]), TopicNames.isInternal(name), partitions, configs(words, 4));
  }

  private static TopicState changed(ClusterState state, String[] words) {
    TopicState topic = state.topic(words[1]);
    if (topic == null) {
      throw new DiskException("the metadata changes the topic " + words[1] + ", which it has not");
    }
    List<PartitionState> partitions = new ArrayList<>(topic.partitions());
    for (String change : words[2].split(";")) {
      int equals = change.indexOf('=');
      int number = Integer.parseInt(change.substring(0, equals));
      if (number >= partitions.size()) {
        throw new DiskException(
            "the metadata changes the partition %s-%d, which it has not"
                .formatted(words[1], number));
      }
      partitions.set(number, partition(number, change.substring(equals + 1)));
    }
    return topic.withPartitions(partitions);
  }

  private static PartitionState partition(int number, String text) {
    String[] fields = text.split(":", -1);
    boolean isPlain = fields.length <= PLAIN_FIELDS;
    return new PartitionState(
        number,
        Integer.parseInt(fields[0]),
        Integer.parseInt(fields[1]),
        ids(fields[2]),
        ids(fields[3]),
        isPlain ? List.of() : ids(fields[4]),
        isPlain ? PartitionState.NO_LEADER : Integer.parseInt(fields[5]));
  }

  private static SortedMap<String, String> configs(String[] words, int first) {
    TreeMap<String, String> configs = new TreeMap<>();
    for (int i = first; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      configs.put(words[i].substring(0, equals), decode(words[i].substring(equals + 1)));
    }
    return configs;
  }

  /** Keeps a value one word: everything but visible ASCII becomes % and four hex digits. */
  private static String encode(String value) {
    StringBuilder text = new StringBuilder();
    for (char c : value.toCharArray()) {
      if (c > ' ' && c < 0x7f && c != '%') {
        text.append(c);
      } else {
        text.append(String.format("%%%04x", (int) c));
      }
    }
    return text.toString();
  }

  private static String decode(String text) {
    StringBuilder value = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '%') {
        c = (char) Integer.parseInt(text.substring(i + 1, i + 5), 16);
        i += 4;
      }
      value.append(c);
    }
    return value.toString();
  }

  private static String ids(List<Integer> ids) {
    return ids.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  private static List<Integer> ids(String text) {
    List<Integer> ids = new ArrayList<>();
    if (text.isEmpty()) {
      return ids;
    }
    for (String id : text.split(",")) {
      ids.add(Integer.valueOf(id));
    }
    return ids;
  }
}
