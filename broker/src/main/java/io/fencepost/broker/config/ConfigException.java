package io.fencepost.broker.config;

/** A setting is unknown or has an impossible value. The message is meant for the user. */
public final class ConfigException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ConfigException(String message) {
    super(message);
  }
}
