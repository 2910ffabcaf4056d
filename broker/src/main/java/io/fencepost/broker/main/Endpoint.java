package io.fencepost.broker.main;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.config.ConfigException;
import io.fencepost.broker.config.ConfigKey;
import java.util.List;
import java.util.Locale;

/** A host and a port, as the settings write them: {@code PLAINTEXT://localhost:9092}. */
record Endpoint(String host, int port) {
  private static final int PORT_MAX = 65_535;

  static Endpoint listener(BrokerConfig config) {
    return parse("listeners", config.text("listeners"));
  }

  /** What clients are told, given where the broker really listens. */
  static Endpoint advertised(BrokerConfig config, Endpoint bound) {
    String setting = config.find("advertised.listeners");
    if (setting == null) {
      boolean everywhere = bound.host.isEmpty() || bound.host.equals("0.0.0.0");
      return new Endpoint(everywhere ? "localhost" : bound.host, bound.port);
    }
    Endpoint told = parse("advertised.listeners", setting);
    return told.port == 0 ? new Endpoint(told.host, bound.port) : told;
  }

  private static Endpoint parse(String key, String setting) {
    List<String> urls = ConfigKey.elements(setting);
    String url = urls.size() == 1 ? urls.get(0) : "";
    String prefix = "plaintext://";
    int colon = url.lastIndexOf(':');
    if (!url.toLowerCase(Locale.ROOT).startsWith(prefix) || colon < prefix.length()) {
      throw new ConfigException(
          "The broker config "
              + key
              + " must be one address like PLAINTEXT://localhost:9092,"
              + " it is "
              + setting);
    }
    int port;
    try {
      port = Integer.parseInt(url.substring(colon + 1));
    } catch (NumberFormatException noPort) {
      throw new ConfigException("The broker config " + key + " has no port number: " + setting);
    }
    if (port < 0 || port > PORT_MAX) {
      throw new ConfigException(
          "The broker config " + key + " has no port from 0 to " + PORT_MAX + ": " + setting);
    }
    return new Endpoint(url.substring(prefix.length(), colon), port);
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
