package io.fencepost.testkit.net;

import io.fencepost.broker.main.SystemClock;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.testkit.fault.Decision;
import io.fencepost.testkit.fault.FaultAction;
import io.fencepost.testkit.fault.FaultFacts;
import io.fencepost.testkit.fault.FaultPlan;
import io.fencepost.testkit.fault.FaultPoint;
import io.fencepost.testkit.fault.FaultPoints;
import io.fencepost.testkit.fault.Faults;
import io.fencepost.testkit.fault.Fired;
import io.fencepost.testkit.fault.PlannedFault;
import io.fencepost.testkit.fault.wire.ErrorAnswers;
import io.fencepost.testkit.fault.wire.RequestFacts;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands between any Kafka clients and any cluster, and breaks what a plan says: loses requests or
 * answers, holds answers back, sends requests twice, answers with errors. Every broker gets a port
 * here; the addresses in answers are replaced by these, so that all traffic passes.
 *
 * <p>It has to read what passes: TLS and SASL are refused. Where one request is lost, what the
 * client sent before it on that connection is still answered, and what it sent after it is neither
 * read nor counted. Acts of the plan ({@code restart broker@EndTxn#3}) are done by who starts the
 * proxy, on the thread of the request and before it goes on.
 *
 * <p>Threads: one per broker and two per connection, all daemons. Safe to use from any thread.
 */
public final class FaultProxy implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(FaultProxy.class);
  private static final int CONNECT_TIMEOUT_MS = 10_000;
  private static final int BACKLOG = 1_024;
  private static final long REFUSED_ACCEPT_PAUSE_MS = 100;

  private final Faults faults;
  private final @Nullable Consumer<Fired> acts;
  private final AtomicLong answers = new AtomicLong();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Map<Endpoint, ServerSocket> listeners = new ConcurrentHashMap<>();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final Set<FaultConnection> connections = ConcurrentHashMap.newKeySet();
  private final ClusterNames names = new ClusterNames();
  private final FetchSessions sessions = new FetchSessions();
  private final AddressRewriter rewriter =
      new AddressRewriter(broker -> addressOf(listenerFor(broker)), names::learn);
  private final Endpoint front;

  private FaultProxy(
      List<Endpoint> upstream, int port, Faults faults, @Nullable Consumer<Fired> acts) {
    this.faults = faults;
    this.acts = acts;
    Endpoint first = upstream.get(0);
    ServerSocket listener = listen(port, "the cluster", upstream);
    // With one address it is the broker's own; behind several it may be any of theirs.
    listeners.put(upstream.size() == 1 ? first : new Endpoint("", port), listener);
    this.front = addressOf(listener);
  }

  /** Starts a proxy that only breaks requests, on any free port. */
  public static FaultProxy start(String bootstrap, FaultPlan plan) {
    return start(bootstrap, 0, Faults.of(plan, new SystemClock()), null);
  }

  /**
   * Starts a proxy in front of a cluster.
   *
   * @param bootstrap some of its brokers as {@code HOST:PORT[,HOST:PORT...]}
   * @param port where clients connect first, at the loopback address; 0 is any free one
   * @param faults may be shared with others that pass points in the same run
   * @param acts does the acts of the plan; null if it has none at requests
   * @throws IllegalArgumentException if the plan has acts at requests and nobody does them
   */
  public static FaultProxy start(
      String bootstrap, int port, Faults faults, @Nullable Consumer<Fired> acts) {
    for (PlannedFault fault : faults.plan().faults()) {
      if (acts == null
          && fault.action().kind().isAct()
          && fault.point().place() == FaultPoint.Place.WIRE) {
        throw new IllegalArgumentException(
            "'%s': a proxy alone has no brokers, jobs or disks to do that to".formatted(fault));
      }
    }
    List<Endpoint> upstream = new ArrayList<>();
    for (String address : bootstrap.split(",", -1)) {
      upstream.add(Endpoint.parse(address.strip()));
    }
    return new FaultProxy(upstream, port, faults, acts);
  }

  /** The address to give to clients. */
  public String bootstrapServers() {
    return front.toString();
  }

  /** The plan at work. */
  public Faults faults() {
    return faults;
  }

  /** How many answers were passed on. */
  public long answerCount() {
    return answers.get();
  }

  /** Breaks nothing from now on. */
  public void heal() {
    faults.heal();
  }

  @Override
  public void close() {
    closed.countDown();
    listeners.values().forEach(FaultProxy::closeQuietly);
    connections.forEach(FaultConnection::close);
    sockets.forEach(FaultProxy::closeQuietly);
  }

  Decision decide(ProxiedRequest request, ApiKey api, WireMessage whole, Endpoint broker) {
    FaultFacts facts =
        RequestFacts.of(whole, request.header().clientId(), names::topic)
            .broker(names.broker(broker));
    return faults.decide(
        FaultPoints.of(api), facts, action -> isPossible(action, request, api, whole));
  }

  /** A batch with acks=0 has no answer to hold back, and a few answers no place for an error. */
  private static boolean isPossible(
      FaultAction action, ProxiedRequest request, ApiKey api, WireMessage whole) {
    return switch (action.kind()) {
      case DELAYED -> !request.isUnanswered();
      case ANSWERED ->
          request.isUnanswered()
              || ErrorAnswers.answer(api, request.version(), whole, action.answer()) != null;
      default -> true;
    };
  }

  /** An act that fails is the harness's trouble: the client's call goes on. */
  void act(Fired fired) {
    if (acts != null) {
      try {
        acts.accept(fired);
      } catch (RuntimeException e) {
        log.error("{} could not be done", fired, e);
      }
    }
  }

  void onAnswer() {
    answers.incrementAndGet();
  }

  AddressRewriter rewriter() {
    return rewriter;
  }

  FetchSessions sessions() {
    return sessions;
  }

  private ServerSocket listenerFor(Endpoint broker) {
    return listeners.computeIfAbsent(broker, it -> listen(0, it.toString(), List.of(it)));
  }

  private ServerSocket listen(int port, String name, List<Endpoint> upstream) {
    try {
      ServerSocket listener = new ServerSocket(port, BACKLOG, InetAddress.getLoopbackAddress());
      start("accept-" + name, () -> accept(listener, upstream));
      return listener;
    } catch (IOException e) {
      throw new UncheckedIOException(
          "no port " + (port == 0 ? "" : port + " ") + "for a proxy of " + name, e);
    }
  }

  private void accept(ServerSocket listener, List<Endpoint> upstream) {
    while (closed.getCount() > 0) {
      try {
        Socket client = listener.accept();
        sockets.add(client);
        start("requests-" + upstream.get(0), () -> serve(client, upstream));
      } catch (IOException e) {
        if (listener.isClosed() || isClosedAfterPause()) {
          return;
        }
        log.warn("a client could not connect: {}", e.toString());
      }
    }
    closeQuietly(listener); // of a broker that was heard of while all were closed
  }

  /** What keeps one client out, as too many open files, would keep out the next at once. */
  private boolean isClosedAfterPause() {
    try {
      return closed.await(REFUSED_ACCEPT_PAUSE_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** A broker that cannot be reached looks to the client like one that hangs up. */
  private void serve(Socket client, List<Endpoint> upstream) {
    Socket toBroker = null;
    for (Endpoint broker : upstream) {
      toBroker = connect(broker);
      if (toBroker != null) {
        serve(client, toBroker, broker);
        return;
      }
    }
    forget(client, client);
  }

  private void serve(Socket client, Socket toBroker, Endpoint broker) {
    try {
      client.setTcpNoDelay(true);
      FaultConnection connection = new FaultConnection(this, broker, client, toBroker);
      connections.add(connection);
      if (closed.getCount() == 0) {
        connection.close();
        return;
      }
      start(
          "answers-" + broker,
          () -> {
            try {
              connection.forwardAnswers();
            } finally {
              connection.close();
              connections.remove(connection);
            }
          });
      connection.forwardRequests();
    } catch (IOException e) {
      forget(client, toBroker);
    }
  }

  private @Nullable Socket connect(Endpoint broker) {
    Socket socket = new Socket();
    sockets.add(socket);
    try {
      socket.setTcpNoDelay(true);
      socket.connect(new InetSocketAddress(broker.host(), broker.port()), CONNECT_TIMEOUT_MS);
      return socket;
    } catch (IOException e) {
      log.info("broker {} can't be reached: {}", broker, e.getMessage());
      forget(socket, socket);
      return null;
    }
  }

  /** Closes both sides of a connection. */
  void forget(Socket client, Socket upstream) {
    closeQuietly(client);
    closeQuietly(upstream);
    sockets.remove(client);
    sockets.remove(upstream);
  }

  private static void start(String name, Runnable work) {
    Thread thread = new Thread(work, "fault-proxy-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  private static Endpoint addressOf(ServerSocket listener) {
    return new Endpoint(listener.getInetAddress().getHostAddress(), listener.getLocalPort());
  }

  /** Closing is all that is left to do with it, so a failure to close changes nothing. */
  static void closeQuietly(Closeable socket) {
    try {
      socket.close();
    } catch (IOException e) {
      return;
    }
  }
}
