package io.fencepost.txn.main;

import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.port.Meters;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How to start a {@link FencepostServer}. Immutable.
 *
 * @param dir where everything is kept; null for a temporary directory that closing deletes
 * @param meters hears what the broker does; {@link FencepostMeters} brings it to Micrometer
 */
public record FencepostConfig(BrokerConfig broker, @Nullable Path dir, Meters meters) {

  /** A free port, a temporary directory, the defaults of one broker. */
  public static FencepostConfig defaults() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Collects settings. Not thread-safe. */
  public static final class Builder {
    private BrokerConfig broker = BrokerConfig.defaults();
    private @Nullable Path dir;
    private Meters meters = Meters.NONE;
    private int port;

    private Builder() {}

    /** The port on localhost; 0, the default, takes any free one. */
    public Builder port(int port) {
      this.port = port;
      return this;
    }

    /** Keeps everything there, also after closing. */
    public Builder dir(Path dir) {
      this.dir = dir;
      return this;
    }

    /**
     * Somebody hears what the broker does. For Micrometer, which must then be on the class path:
     * {@code meters(FencepostMeters.on(registry))}.
     */
    public Builder meters(Meters meters) {
      this.meters = meters;
      return this;
    }

    /**
     * A broker setting under Kafka's name.
     *
     * @throws io.fencepost.broker.config.ConfigException if the name is unknown (says the nearest
     *     known one) or the value impossible
     */
    public Builder set(String key, String value) {
      broker = broker.with(key, value);
      return this;
    }

    public FencepostConfig build() {
      BrokerConfig whole =
          broker.explicit().containsKey("listeners")
              ? broker
              : broker.with("listeners", "PLAINTEXT://localhost:" + port);
      return new FencepostConfig(whole, dir, meters);
    }
  }
}
