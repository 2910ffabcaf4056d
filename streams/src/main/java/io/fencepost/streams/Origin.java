package io.fencepost.streams;

/**
 * Where an input record stands: enough to find it again, and a stable identity for outside effects.
 */
public record Origin(String topic, int partition, long offset) {
  @Override
  public String toString() {
    return topic + "-" + partition + "@" + offset;
  }
}
