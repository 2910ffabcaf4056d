package io.fencepost.samples.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fencepost.txn.main.FencepostMeters;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** Serves a broker's meters to Prometheus, at /metrics of this machine. Thread safe. */
public final class MetricsEndpoint implements AutoCloseable {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final FencepostMeters meters = FencepostMeters.on(registry);
  private final HttpServer server;

  private MetricsEndpoint(HttpServer server) {
    this.server = server;
  }

  /** Takes the port, 0 for any free one; a port that is taken is a {@link UsageException}. */
  public static MetricsEndpoint open(int port) {
    try {
      InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
      MetricsEndpoint endpoint = new MetricsEndpoint(HttpServer.create(address, 0));
      endpoint.server.createContext("/metrics", endpoint::answer);
      endpoint.server.start();
      return endpoint;
    } catch (IOException e) {
      throw new UsageException(
          "--metrics-port " + port + ": " + e.getMessage() + "; choose another port", e);
    }
  }

  /** For the broker's configuration. */
  public FencepostMeters meters() {
    return meters;
  }

  /** Where it listens. */
  public int port() {
    return server.getAddress().getPort();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      meters.refresh();
      byte[] text = PrometheusText.of(registry).getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
      exchange.sendResponseHeaders(200, text.length);
      exchange.getResponseBody().write(text);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
