package io.fencepost.broker.api;

import io.fencepost.broker.cluster.BrokerConfigRules;
import io.fencepost.broker.cluster.BrokerSettings;
import io.fencepost.broker.cluster.GroupConfigs;
import io.fencepost.broker.cluster.TopicConfig;
import io.fencepost.broker.cluster.TopicConfigs;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.config.BrokerKeys;
import io.fencepost.broker.config.ConfigKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** A setting in force, where it comes from, and what would be in force without that. */
record ConfigEntry(
    ConfigKey key,
    @Nullable String value,
    byte source,
    boolean isReadOnly,
    List<Synonym> synonyms) {
  static final byte TOPIC = 1;
  static final byte DYNAMIC_BROKER = 2;
  static final byte DYNAMIC_DEFAULT_BROKER = 3;
  static final byte STATIC_BROKER = 4;
  static final byte DEFAULT = 5;
  static final byte GROUP = 8;

  /** One of the places that may give the value, strongest first. */
  record Synonym(String name, @Nullable String value, byte source) {}

  static List<ConfigEntry> ofTopic(TopicState topic, BrokerSettings broker) {
    TopicConfig config = TopicConfig.of(topic, broker.inForce());
    List<ConfigEntry> entries = new ArrayList<>();
    for (ConfigKey key : TopicConfigs.TABLE.all()) {
      List<Synonym> synonyms = new ArrayList<>();
      String own = topic.configs().get(key.name());
      if (own != null) {
        synonyms.add(new Synonym(key.name(), own, TOPIC));
      }
      List<String> brokerKeys =
          TopicConfigs.synonymsOf(key.name()).stream()
              .map(TopicConfigs.Synonym::brokerKey)
              .toList();
      addLayers(brokerKeys, broker, synonyms);
      byte source = synonyms.isEmpty() ? DEFAULT : synonyms.get(0).source();
      String value = config.find(key.name());
      if (source == DEFAULT) {
        // The default of flush depends on the number of replicas.
        synonyms.replaceAll(synonym -> new Synonym(synonym.name(), value, DEFAULT));
      }
      if (own != null || !key.name().startsWith("internal.")) {
        entries.add(new ConfigEntry(key, value, source, false, synonyms));
      }
    }
    return entries;
  }

  static List<ConfigEntry> ofBroker(BrokerSettings broker) {
    BrokerConfig inForce = broker.inForce();
    List<ConfigEntry> entries = new ArrayList<>();
    for (ConfigKey key : BrokerKeys.TABLE.all()) {
      List<Synonym> synonyms = new ArrayList<>();
      addLayers(TopicConfigs.family(key.name()), broker, synonyms);
      byte source = synonyms.isEmpty() ? DEFAULT : synonyms.get(0).source();
      boolean isReadOnly = !BrokerConfigRules.isDynamic(key.name());
      entries.add(new ConfigEntry(key, inForce.find(key.name()), source, isReadOnly, synonyms));
    }
    return entries;
  }

  /** What was changed for all brokers while they ran. */
  static List<ConfigEntry> ofAllBrokers(BrokerSettings broker) {
    List<ConfigEntry> entries = new ArrayList<>();
    for (Map.Entry<String, String> setting : broker.common().entrySet()) {
      ConfigKey key = BrokerKeys.TABLE.find(setting.getKey());
      if (key != null) {
        byte source = DYNAMIC_DEFAULT_BROKER;
        Synonym only = new Synonym(key.name(), setting.getValue(), source);
        entries.add(new ConfigEntry(key, setting.getValue(), source, false, List.of(only)));
      }
    }
    return entries;
  }

  static List<ConfigEntry> ofGroup(SortedMap<String, String> own, BrokerSettings broker) {
    BrokerConfig inForce = broker.inForce();
    List<ConfigEntry> entries = new ArrayList<>();
    for (ConfigKey key : GroupConfigs.TABLE.all()) {
      List<Synonym> synonyms = new ArrayList<>();
      String set = own.get(key.name());
      if (set != null) {
        synonyms.add(new Synonym(key.name(), set, GROUP));
      }
      String brokerKey = GroupConfigs.synonymOf(key.name());
      if (brokerKey != null && BrokerKeys.TABLE.find(brokerKey) != null) {
        addLayers(List.of(brokerKey), broker, synonyms);
      } else {
        synonyms.add(
            new Synonym(brokerKey == null ? key.name() : brokerKey, key.defaultValue(), DEFAULT));
      }
      String value = set != null ? set : GroupConfigs.inherited(key, inForce);
      entries.add(new ConfigEntry(key, value, synonyms.get(0).source(), false, synonyms));
    }
    return entries;
  }

  /** As Kafka shows it: a default in another unit counts only behind a value in the first one. */
  private static void addLayers(List<String> names, BrokerSettings broker, List<Synonym> synonyms) {
    int sizeBefore = synonyms.size();
    addSet(names, broker.own(), DYNAMIC_BROKER, synonyms);
    addSet(names, broker.common(), DYNAMIC_DEFAULT_BROKER, synonyms);
    addSet(names, broker.atStart().explicit(), STATIC_BROKER, synonyms);
    boolean isSet = synonyms.size() > sizeBefore;
    names.stream().limit(isSet ? names.size() : 1).forEach(name -> addDefault(name, synonyms));
  }

  private static void addSet(
      List<String> names, SortedMap<String, String> layer, byte source, List<Synonym> synonyms) {
    for (String name : names) {
      String value = layer.get(name);
      if (value != null) {
        synonyms.add(new Synonym(name, value, source));
      }
    }
  }

  private static void addDefault(String name, List<Synonym> synonyms) {
    ConfigKey key = BrokerKeys.TABLE.find(name);
    if (key != null && key.defaultValue() != null) {
      synonyms.add(new Synonym(name, key.defaultValue(), DEFAULT));
    }
  }
}
