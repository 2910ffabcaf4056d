package io.fencepost.testkit.net;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stands between real clients and a cluster and loses answers: it forwards a request, waits until
 * the broker has answered, and cuts the connection instead of passing the answer on. So the broker
 * has done the work and the client cannot know. Every broker gets a port here; the addresses in
 * answers are replaced by these. Threads: one per direction of each connection, all daemons. Safe
 * to use from any thread.
 */
public final class CuttingProxy implements AutoCloseable {
  private static final int CONNECT_TIMEOUT_MS = 10_000;

  private final CutPlan plan;
  private final AtomicLong cuts = new AtomicLong();
  private final AtomicLong answers = new AtomicLong();
  private final AtomicBoolean healed = new AtomicBoolean();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Map<Endpoint, ServerSocket> listeners = new ConcurrentHashMap<>();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AddressRewriter rewriter =
      new AddressRewriter(broker -> addressOf(listenerFor(broker)));
  private final Endpoint front;

  private CuttingProxy(Endpoint upstream, CutPlan plan) {
    this.plan = plan;
    this.front = addressOf(listenerFor(upstream));
  }

  /** Starts a proxy in front of a cluster, given by one of its brokers as {@code HOST:PORT}. */
  public static CuttingProxy start(String bootstrap, CutPlan plan) {
    int comma = bootstrap.indexOf(',');
    return new CuttingProxy(
        Endpoint.parse(comma < 0 ? bootstrap : bootstrap.substring(0, comma)), plan);
  }

  /** The address to give to clients. */
  public String bootstrapServers() {
    return front.toString();
  }

  /** How many answers were lost. */
  public long cutCount() {
    return cuts.get();
  }

  /** How many answers came from the brokers, lost ones included. */
  public long answerCount() {
    return answers.get();
  }

  /** Loses nothing from now on. */
  public void heal() {
    healed.set(true);
  }

  @Override
  public void close() {
    closed.set(true);
    listeners.values().forEach(CuttingProxy::closeQuietly);
    sockets.forEach(CuttingProxy::closeQuietly);
  }

  /** Asked for each answer before it is passed on. */
  boolean losesAnswer(ProxyConnection.Call call) {
    answers.incrementAndGet();
    if (healed.get() || !plan.cuts(call.api())) {
      return false;
    }
    cuts.incrementAndGet();
    return true;
  }

  AddressRewriter rewriter() {
    return rewriter;
  }

  private ServerSocket listenerFor(Endpoint broker) {
    return listeners.computeIfAbsent(broker, this::listen);
  }

  private ServerSocket listen(Endpoint broker) {
    try {
      ServerSocket listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
      start("accept-" + broker, () -> accept(listener, broker));
      return listener;
    } catch (IOException e) {
      throw new UncheckedIOException("no port for a proxy of " + broker, e);
    }
  }

  private void accept(ServerSocket listener, Endpoint broker) {
    while (!closed.get()) {
      try {
        Socket client = listener.accept();
        sockets.add(client);
        connect(client, broker);
      } catch (IOException e) {
        if (listener.isClosed()) {
          return;
        }
      }
    }
  }

  /** A broker that cannot be reached looks to the client like one that hangs up. */
  private void connect(Socket client, Endpoint broker) {
    Socket upstream = new Socket();
    sockets.add(upstream);
    try {
      client.setTcpNoDelay(true);
      upstream.setTcpNoDelay(true);
      upstream.connect(new InetSocketAddress(broker.host(), broker.port()), CONNECT_TIMEOUT_MS);
    } catch (IOException e) {
      forget(client, upstream);
      return;
    }
    ProxyConnection connection = new ProxyConnection(this, client, upstream);
    start("requests-" + broker, connection::forwardRequests);
    start("answers-" + broker, connection::forwardAnswers);
  }

  /** Closes both sides of a connection. */
  void forget(Socket client, Socket upstream) {
    closeQuietly(client);
    closeQuietly(upstream);
    sockets.remove(client);
    sockets.remove(upstream);
  }

  private static void start(String name, Runnable work) {
    Thread thread = new Thread(work, "cutting-proxy-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  private static Endpoint addressOf(ServerSocket listener) {
    return new Endpoint(listener.getInetAddress().getHostAddress(), listener.getLocalPort());
  }

  /** Closing is all that is left to do with it, so a failure to close changes nothing. */
  private static void closeQuietly(Closeable socket) {
    try {
      socket.close();
    } catch (IOException e) {
      return;
    }
  }
}
