package io.fencepost.samples.client;

import java.nio.file.Path;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** A broker in this process. */
public interface EmbeddedBroker extends AutoCloseable {
  /** The addresses to give to a client. */
  String bootstrapServers();

  /** Stops the broker cleanly. */
  @Override
  void close();

  /**
   * Starts a broker. Port 0 is any free one; without a directory it has one of its own, which goes
   * when it is closed. A port, directory or setting that cannot be used is a {@link
   * UsageException}.
   */
  static EmbeddedBroker start(int port, @Nullable Path dir, SortedMap<String, String> settings) {
    throw new UsageException("no embedded broker in this build; use --bootstrap HOST:PORT");
  }
}
