package io.fencepost.samples.client;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.InterruptException;

/** A connection to a cluster for commands that look or change something. Thread safe. */
public final class Administration implements AutoCloseable {
  private static final int TIMEOUT_MS = 10_000;

  private final String bootstrap;
  private final Admin admin;

  private Administration(String bootstrap, Admin admin) {
    this.bootstrap = bootstrap;
    this.admin = admin;
  }

  /** Connects, or says that nobody answers there. */
  public static Administration connect(String bootstrap) {
    Admin admin;
    try {
      admin =
          Admin.create(
              Map.of(
                  AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                  bootstrap,
                  AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                  TIMEOUT_MS,
                  AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                  TIMEOUT_MS / 2));
    } catch (KafkaException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new UsageException("--bootstrap " + bootstrap + ": " + cause.getMessage(), e);
    }
    Administration connection = new Administration(bootstrap, admin);
    try {
      connection.await(admin.describeCluster().nodes());
      return connection;
    } catch (UsageException unreachable) {
      admin.close(Duration.ZERO);
      throw new UsageException(
          "no Kafka broker answered at "
              + bootstrap
              + " within "
              + TIMEOUT_MS / 1000
              + " s; is it running, and is the address right?",
          unreachable);
    }
  }

  /** What the user gave as address. */
  public String bootstrap() {
    return bootstrap;
  }

  /** Kafka's own interface. */
  public Admin admin() {
    return admin;
  }

  /** The answer. What a broker refuses is a {@link UsageException} with the broker's sentence. */
  public <T> T await(KafkaFuture<T> future) {
    try {
      return attempt(future);
    } catch (KafkaException e) {
      throw new UsageException(String.valueOf(e.getMessage()), e);
    }
  }

  /** The answer, or Kafka's own exception, for those who know what to do with it. */
  public <T> T attempt(KafkaFuture<T> future) {
    try {
      return future.get(2 * TIMEOUT_MS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof KafkaException failure
          ? failure
          : new KafkaException(e.getCause());
    } catch (TimeoutException e) {
      throw new org.apache.kafka.common.errors.TimeoutException("no answer in time", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptException(e);
    }
  }

  @Override
  public void close() {
    admin.close(Duration.ofSeconds(2));
  }
}
