package io.fencepost.broker.cluster;

import io.fencepost.broker.wire.WireError;
import org.jspecify.annotations.Nullable;

/**
 * What became of a command on one topic.
 *
 * @param message why it was refused; null on success
 * @param topic the topic as it is now (as it would be, for a validation); null if refused
 */
public record TopicResult(
    String name, WireError error, @Nullable String message, @Nullable TopicState topic) {
  static TopicResult done(TopicState topic) {
    return new TopicResult(topic.name(), WireError.NONE, null, topic);
  }

  static TopicResult refused(String name, WireError error, String message) {
    return new TopicResult(name, error, message, null);
  }

  public boolean isRefused() {
    return error != WireError.NONE;
  }
}
