package io.fencepost.txn.main;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the port of a broker that is down: who connects is refused, and no other server or client
 * is given that port, to be taken for the broker by its clients. Not thread-safe.
 */
final class PortHold implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PortHold.class);
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final long RETRY_NANOS = 1_000_000;

  private final SocketChannel socket;

  private PortHold(SocketChannel socket) {
    this.socket = socket;
  }

  /** Null if somebody else has the port already; then that is logged. */
  static @Nullable PortHold take(String host, int port) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        return new PortHold(bound(new InetSocketAddress(host, port)));
      } catch (IOException refused) {
        // A listener that was closed is gone only when its accept has returned.
        if (System.nanoTime() - end > 0) {
          LOG.warn(
              "Port {} of a broker that is down is not kept for it ({}): if another server has it,"
                  + " clients of this cluster talk to that one",
              port,
              refused.getMessage());
          return null;
        }
      }
      LockSupport.parkNanos(RETRY_NANOS);
    }
  }

  /** Bound and not listening. */
  private static SocketChannel bound(InetSocketAddress address) throws IOException {
    SocketChannel socket = SocketChannel.open();
    try {
      // Connections of the broker that was there linger.
      socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      return socket.bind(address);
    } catch (IOException | RuntimeException refused) {
      socket.close();
      throw refused;
    }
  }

  /** The broker may have its port back. */
  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
