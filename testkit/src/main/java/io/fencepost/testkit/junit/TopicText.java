package io.fencepost.testkit.junit;

import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/** A topic as it stands in {@link Fencepost#topics}. */
record TopicText(String name, int partitions) {
  static TopicText parse(String text, int partitions) {
    int colon = text.lastIndexOf(':');
    if (colon < 0) {
      return new TopicText(text, partitions);
    }
    String count = text.substring(colon + 1);
    if (!count.matches("[1-9][0-9]{0,3}")) {
      throw new ExtensionConfigurationException(
          "@Fencepost(topics = \"%s\"): '%s' is no number of partitions; it is written NAME or NAME:6"
              .formatted(text, count));
    }
    return new TopicText(text.substring(0, colon), Integer.parseInt(count));
  }
}
