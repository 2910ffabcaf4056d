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
 * now on, {@code gone ID} that it was deleted. A partition is {@code leader:epoch:replicas:isr};
 * {@code 20*} in front says that twenty in a row are alike. {@code settings BROKER
 * [CONFIG=VALUE]...} are all settings of a broker ({@code *}: of all brokers) that were changed
 * while it ran, {@code group NAME [CONFIG=VALUE]...} all settings of a group.
 */
final class JournalLine {
  private static final String ALL_BROKERS = "*";

  private JournalLine() {}

  static String of(TopicState topic) {
    StringBuilder line = new StringBuilder("topic ");
    line.append(topic.name()).append(' ').append(topic.id()).append(' ');
    String last = "";
    int alike = 0;
    List<String> runs = new ArrayList<>();
    for (PartitionState partition : topic.partitions()) {
      String text =
          partition.leader()
              + ":"
              + partition.leaderEpoch()
              + ":"
              + ids(partition.replicas())
              + ":"
              + ids(partition.isr());
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

  static String gone(TopicState topic) {
    return "gone " + topic.id();
  }

  static ClusterState apply(ClusterState state, String payload) {
    String[] words = payload.split(" ");
    switch (words[0]) {
      case "topic":
        return state.withTopics(List.of(topic(words)));
      case "gone":
        TopicState topic = state.topic(Uuid.parse(words[1]));
        return topic == null ? state : state.withoutTopic(topic);
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
        partitions.add(
            new PartitionState(
                p.partition(), p.leader(), p.leaderEpoch() + 1, p.replicas(), p.isr()));
      }
      next.add(
          new TopicState(topic.name(), topic.id(), topic.internal(), partitions, topic.configs()));
    }
    return next;
  }

  private static TopicState topic(String[] words) {
    List<PartitionState> partitions = new ArrayList<>();
    for (String run : words[3].split(";")) {
      int star = run.indexOf('*');
      String[] fields = run.substring(star + 1).split(":");
      for (int i = Integer.parseInt(run.substring(0, star)); i > 0; i--) {
        partitions.add(
            new PartitionState(
                partitions.size(),
                Integer.parseInt(fields[0]),
                Integer.parseInt(fields[1]),
                ids(fields[2]),
                ids(fields[3])));
      }
    }
    String name = words[1];
    return new TopicState(
        name, Uuid.parse(words[2]), TopicNames.isInternal(name), partitions, configs(words, 4));
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
    for (String id : text.split(",")) {
      ids.add(Integer.valueOf(id));
    }
    return ids;
  }
}
