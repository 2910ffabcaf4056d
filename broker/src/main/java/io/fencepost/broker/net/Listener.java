package io.fencepost.broker.net;

import io.fencepost.broker.port.FrameService;
import io.fencepost.broker.port.Meters;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts connections on one address and gives each a thread. Bound at once, so that a taken port
 * fails early and port 0 is known; accepts from {@link #start} on. Thread-safe.
 */
public final class Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Listener.class);
  private static final long REAP_INTERVAL_MS = 250;
  private static final long PEER_CHECK_ROUNDS = 4;
  private static final long PEER_CHECK_MS = 1_000;
  private static final long MAX_STALL_MS = 1_000;

  private final ListenerSettings settings;
  private final ServerSocketChannel server;
  private final MemoryGate memory;
  private final Meters meters;
  private final Set<ConnectionLoop> connections = ConcurrentHashMap.newKeySet();
  private final AtomicLong connectionIds = new AtomicLong();
  private final ThreadFactory threads;
  private volatile boolean stopped;
  private @Nullable Thread acceptor;
  private @Nullable Thread reaper;

  private Listener(ListenerSettings settings, ServerSocketChannel server, Meters meters) {
    this.settings = settings;
    this.meters = meters;
    this.server = server;
    this.memory = new MemoryGate(Math.max(settings.memoryCapBytes(), 1));
    this.threads = ConnectionThreads.factory("fencepost-connection-" + port());
  }

  /** Takes the address; an empty host means all addresses, port 0 any free port. */
  public static Listener bind(String host, int port, ListenerSettings settings) {
    return bind(host, port, settings, Meters.NONE);
  }

  /** The same, and somebody hears of every request. */
  public static Listener bind(String host, int port, ListenerSettings settings, Meters meters) {
    InetSocketAddress address =
        host.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
    if (address.isUnresolved()) {
      throw new UncheckedIOException(
          "Cannot listen on " + host + ":" + port + ": no address is known for this host",
          new UnknownHostException(host));
    }
    try {
      ServerSocketChannel server = ServerSocketChannel.open();
      try {
        server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        server.bind(address, settings.backlog());
        return new Listener(settings, server, meters);
      } catch (IOException | RuntimeException refused) {
        server.close();
        throw refused;
      }
    } catch (IOException refused) {
      throw new UncheckedIOException(
          "Cannot listen on "
              + host
              + ":"
              + port
              + " ("
              + refused.getMessage()
              + "): choose another port or stop who uses it",
          refused);
    }
  }

  public int port() {
    return server.socket().getLocalPort();
  }

  /** Bytes that requests hold now above what each connection has for free. */
  public long heldBytes() {
    return memory.usedBytes();
  }

  public int connectionCount() {
    return connections.size();
  }

  public void start(FrameService service) {
    acceptor = daemon("fencepost-accept-" + port(), () -> acceptAll(service));
    reaper = daemon("fencepost-reaper-" + port(), this::reapAll);
  }

  private static Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void acceptAll(FrameService service) {
    while (!stopped) {
      try {
        accept(server.accept(), service);
      } catch (AsynchronousCloseException closed) {
        return;
      } catch (ClosedChannelException closed) {
        return;
      } catch (IOException | RuntimeException | Error trouble) {
        LOG.error("Cannot accept a connection on port {}; trying again", port(), trouble);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      }
    }
  }

  private void accept(SocketChannel channel, FrameService service) throws IOException {
    if (connections.size() >= settings.maxConnections()) {
      LOG.warn(
          "Refusing a connection: {} are open, as many as max.connections allows",
          connections.size());
      channel.close();
      return;
    }
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
      InetSocketAddress remote = (InetSocketAddress) channel.getRemoteAddress();
      FrameService.Peer peer =
          new FrameService.Peer(
              connectionIds.incrementAndGet(), remote.getAddress().getHostAddress());
      ReceiveBuffer receiver = new ReceiveBuffer(memory, settings.maxFrameBytes());
      ConnectionLoop[] self = new ConnectionLoop[1];
      ConnectionLoop loop =
          new ConnectionLoop(
              channel, service, peer, receiver, meters, () -> connections.remove(self[0]));
      self[0] = loop;
      connections.add(loop);
      if (stopped) {
        loop.finish();
      }
      threads.newThread(loop).start();
    } catch (IOException | RuntimeException | Error refused) {
      channel.close();
      throw refused;
    }
  }

  private void reapAll() {
    for (long round = 0; !stopped; round++) {
      try {
        boolean looksForPeers = round % PEER_CHECK_ROUNDS == 0;
        for (ConnectionLoop connection : connections) {
          reap(connection, looksForPeers);
        }
      } catch (RuntimeException | Error trouble) {
        // Without this thread nothing would end connections any more.
        LOG.error("Connections of port {} could not be checked", port(), trouble);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(REAP_INTERVAL_MS));
    }
  }

  private void reap(ConnectionLoop connection, boolean looksForPeer) {
    long elapsedMs = connection.inPhaseMs();
    switch (connection.phase()) {
      case IDLE -> cutAfter(connection, elapsedMs, settings.maxIdleMs(), "it was idle");
      case RECEIVING -> {
        cutAfter(connection, elapsedMs, settings.maxFrameMs(), "its request took too long");
        if (connection.holdsMemory() && memory.isAwaited()) {
          cutAfter(
              connection,
              connection.stalledMs(),
              MAX_STALL_MS,
              "its request stood still while others waited for the memory that it holds");
        }
      }
      case SENDING -> cutAfter(connection, elapsedMs, settings.maxIdleMs(), "it took no answer");
      case SERVING -> {
        if (elapsedMs > settings.maxIdleMs()) {
          connection.cut("its request was not answered for " + elapsedMs + " ms");
        } else if (looksForPeer && elapsedMs > PEER_CHECK_MS) {
          connection.cutIfPeerLeft();
        }
      }
    }
  }

  private static void cutAfter(
      ConnectionLoop connection, long elapsedMs, long limitMs, String reason) {
    if (elapsedMs > limitMs) {
      connection.cut(reason + ", " + elapsedMs + " ms");
    }
  }

  /** Accepts no more, lets requests in process finish within the time, cuts the others. */
  public void stop(long timeoutMs) {
    stopped = true;
    closeServer();
    connections.forEach(ConnectionLoop::finish);
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    while (!connections.isEmpty() && System.nanoTime() < deadline) {
      connections.forEach(ConnectionLoop::finish);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
    List.copyOf(connections).forEach(connection -> connection.cut("the broker stops"));
    LockSupport.unpark(reaper);
    join(acceptor);
    join(reaper);
  }

  private void closeServer() {
    try {
      server.close();
    } catch (IOException broken) {
      LOG.warn("The listening socket did not close cleanly", broken);
    }
  }

  private static void join(@Nullable Thread thread) {
    if (thread == null) {
      return;
    }
    try {
      thread.join(TimeUnit.SECONDS.toMillis(1));
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }
}
