package io.fencepost.samples.client;

import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The broker that a command works with: one of its own in this process, or the cluster that the
 * user named. Closing it stops the own one only.
 */
public final class Session implements AutoCloseable {
  private final @Nullable EmbeddedBroker broker;
  private final Cluster cluster;

  private Session(@Nullable EmbeddedBroker broker, Cluster cluster) {
    this.broker = broker;
    this.cluster = cluster;
  }

  /** Works with {@code bootstrap}, or with a fresh embedded broker where that is missing. */
  public static Session open(@Nullable String bootstrap) {
    if (bootstrap != null) {
      return new Session(null, Cluster.connect(bootstrap));
    }
    EmbeddedBroker broker = EmbeddedBroker.start(0, null, new TreeMap<>());
    try {
      return new Session(broker, Cluster.connect(broker.bootstrapServers()));
    } catch (UsageException e) {
      broker.close();
      throw e;
    }
  }

  /** The cluster to work with. */
  public Cluster cluster() {
    return cluster;
  }

  /** Whether the broker is ours alone. */
  public boolean isEmbedded() {
    return broker != null;
  }

  /** A name that no other run on a shared cluster has; on our own broker the plain one. */
  public String name(String plain, String run) {
    return isEmbedded() ? plain : plain + "-" + run;
  }

  @Override
  public void close() {
    cluster.close();
    if (broker != null) {
      broker.close();
    }
  }
}
