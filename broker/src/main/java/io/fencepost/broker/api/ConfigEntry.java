package io.fencepost.broker.api;

import io.fencepost.broker.cluster.TopicConfig;
import io.fencepost.broker.cluster.TopicConfigs;
import io.fencepost.broker.cluster.TopicState;
import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.config.BrokerKeys;
import io.fencepost.broker.config.ConfigKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A setting in force, where it comes from, and what would be in force without that. */
record ConfigEntry(ConfigKey key, @Nullable String value, byte source, List<Synonym> synonyms) {
  static final byte TOPIC = 1;
  static final byte STATIC_BROKER = 4;
  static final byte DEFAULT = 5;

  /** One of the places that may give the value, strongest first. */
  record Synonym(String name, @Nullable String value, byte source) {}

  static List<ConfigEntry> ofTopic(TopicState topic, BrokerConfig broker) {
    TopicConfig config = TopicConfig.of(topic, broker);
    List<ConfigEntry> entries = new ArrayList<>();
    for (ConfigKey key : TopicConfigs.TABLE.all()) {
      List<Synonym> synonyms = new ArrayList<>();
      String own = topic.configs().get(key.name());
      if (own != null) {
        synonyms.add(new Synonym(key.name(), own, TOPIC));
      }
      List<TopicConfigs.Synonym> brokerKeys = TopicConfigs.synonymsOf(key.name());
      brokerKeys.forEach(brokerKey -> addExplicit(brokerKey.brokerKey(), broker, synonyms));
      brokerKeys.forEach(brokerKey -> addDefault(brokerKey.brokerKey(), synonyms));
      byte source = synonyms.isEmpty() ? DEFAULT : synonyms.get(0).source();
      if (own != null || !key.name().startsWith("internal.")) {
        entries.add(new ConfigEntry(key, config.find(key.name()), source, synonyms));
      }
    }
    return entries;
  }

  static List<ConfigEntry> ofBroker(BrokerConfig broker) {
    List<ConfigEntry> entries = new ArrayList<>();
    for (ConfigKey key : BrokerKeys.TABLE.all()) {
      List<Synonym> synonyms = new ArrayList<>();
      addExplicit(key.name(), broker, synonyms);
      addDefault(key.name(), synonyms);
      byte source = synonyms.isEmpty() ? DEFAULT : synonyms.get(0).source();
      entries.add(new ConfigEntry(key, broker.find(key.name()), source, synonyms));
    }
    return entries;
  }

  private static void addExplicit(String name, BrokerConfig broker, List<Synonym> synonyms) {
    String value = broker.explicit().get(name);
    if (value != null) {
      synonyms.add(new Synonym(name, value, STATIC_BROKER));
    }
  }

  private static void addDefault(String name, List<Synonym> synonyms) {
    ConfigKey key = BrokerKeys.TABLE.find(name);
    if (key != null && key.defaultValue() != null) {
      synonyms.add(new Synonym(name, key.defaultValue(), DEFAULT));
    }
  }
}
