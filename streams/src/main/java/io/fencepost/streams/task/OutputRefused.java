package io.fencepost.streams.task;

import org.apache.kafka.common.KafkaException;

/** A record that the client or the broker did not take; the cause decides what that means. */
public final class OutputRefused extends KafkaException {
  public OutputRefused(String topic, Exception cause) {
    super("a record for topic " + topic + " was refused: " + cause.getMessage(), cause);
  }
}
