package io.fencepost.broker.port.sim;

import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.port.FrameService;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A network of one broker on the simulation's thread. It delays (so that connections overtake each
 * other; inside one connection the order holds, as in TCP), cuts connections before a request
 * arrives, loses answers (the request was served and the client only sees the connection end), and
 * brings requests late: the client sees the connection end, perhaps sends again on another one, and
 * the old request is served after that. Not thread-safe.
 */
public final class SimTransport {
  /**
   * How bad the network is.
   *
   * @param latePerMille of the requests are served up to {@link #MAX_LATE_MS} after their
   *     connection has ended
   */
  public record Weather(int maxDelayMs, int cutPerMille, int loseAnswerPerMille, int latePerMille) {
    public static final Weather CALM = new Weather(0, 0, 0, 0);
  }

  public static final int MAX_LATE_MS = 3_000;

  /** The client's end of a connection; called from scheduled tasks. */
  public interface Client {
    /** One response frame without its length prefix. */
    void onAnswer(ByteBuffer frame);

    /** Nothing more will come; requests without an answer have an unknown outcome. */
    void onClosed(String reason);
  }

  private final SimScheduler scheduler;
  private final SimEntropy entropy;
  private final List<Connection> open = new ArrayList<>();
  private Weather weather = Weather.CALM;
  private @Nullable FrameService service;
  private long connectionCount;

  public SimTransport(SimScheduler scheduler, SimEntropy entropy) {
    this.scheduler = scheduler;
    this.entropy = entropy.named("transport");
  }

  public void weather(Weather next) {
    this.weather = next;
  }

  /** The broker is up: frames go to this service. */
  public void serve(FrameService next) {
    this.service = next;
  }

  /** The broker is gone: every connection ends, answers under way are lost. */
  public void stopServing() {
    this.service = null;
    for (Connection connection : List.copyOf(open)) {
      connection.cut("the broker is gone");
    }
  }

  /** Connects, or returns null while nobody serves. */
  public @Nullable Connection connect(String host, Client client) {
    if (service == null) {
      return null;
    }
    Connection connection = new Connection(new FrameService.Peer(++connectionCount, host), client);
    open.add(connection);
    return connection;
  }

  private long delayMs() {
    return weather.maxDelayMs == 0 ? 0 : entropy.nextInt(weather.maxDelayMs + 1);
  }

  /** One connection. Requests are served one at a time in the order they were sent. */
  public final class Connection {
    private final FrameService.Peer peer;
    private final Client client;
    private final ArrayDeque<ByteBuffer> underWay = new ArrayDeque<>();
    private final ArrayDeque<ByteBuffer> arrived = new ArrayDeque<>();
    private final ArrayDeque<ByteBuffer> answers = new ArrayDeque<>();
    private boolean serving;
    private boolean closed;

    private Connection(FrameService.Peer peer, Client client) {
      this.peer = peer;
      this.client = client;
    }

    public boolean isOpen() {
      return !closed;
    }

    /** Sends a frame (without length prefix); the bytes are copied now. */
    public void send(ByteBuffer frame) {
      if (closed) {
        return;
      }
      if (entropy.oneOf(weather.cutPerMille)) {
        cut("the network cut the connection before the request arrived");
        return;
      }
      ByteBuffer copy = ByteBuffer.allocate(frame.remaining()).put(frame.duplicate()).flip();
      if (entropy.oneOf(weather.latePerMille)) {
        FrameService addressee = service;
        scheduler.after(1L + entropy.nextInt(MAX_LATE_MS), () -> serveLate(copy, addressee));
        cut("the network is late with a request");
        return;
      }
      underWay.add(copy);
      scheduler.after(
          delayMs(),
          () -> {
            // Whichever delay ends first brings the oldest frame: a connection keeps its order.
            arrived.add(underWay.remove());
            serveNext();
          });
    }

    /** The client hangs up. */
    public void close() {
      if (!closed) {
        closed = true;
        open.remove(this);
      }
    }

    private void cut(String reason) {
      if (!closed) {
        close();
        scheduler.run(() -> client.onClosed(reason));
      }
    }

    /** A connection does not outlive the broker. */
    private void serveLate(ByteBuffer frame, @Nullable FrameService addressee) {
      if (addressee != null && addressee == service) {
        addressee.serve(frame, peer, new SimAnswer(this));
      }
    }

    private void serveNext() {
      FrameService current = service;
      if (closed || serving || current == null) {
        return;
      }
      ByteBuffer frame = arrived.poll();
      if (frame == null) {
        return;
      }
      serving = true;
      current.serve(frame, peer, new SimAnswer(this));
    }

    private void answered(List<Bytes> parts) {
      if (closed) {
        return;
      }
      if (entropy.oneOf(weather.loseAnswerPerMille)) {
        cut("the network lost the answer");
        return;
      }
      answers.add(joined(parts));
      scheduler.after(
          delayMs(),
          () -> {
            ByteBuffer frame = answers.remove();
            if (!closed) {
              client.onAnswer(frame);
            }
          });
      next();
    }

    private void next() {
      serving = false;
      scheduler.run(this::serveNext);
    }
  }

  private static ByteBuffer joined(List<Bytes> parts) {
    int sizeBytes = 0;
    for (Bytes part : parts) {
      sizeBytes += part.sizeBytes();
    }
    ByteBuffer frame = ByteBuffer.allocate(sizeBytes);
    for (Bytes part : parts) {
      frame.put(part.toBuffer());
    }
    return frame.flip();
  }

  private record SimAnswer(Connection connection) implements FrameService.Answer {
    @Override
    public void send(List<Bytes> parts) {
      connection.answered(parts);
    }

    @Override
    public void sendNothing() {
      connection.next();
    }

    @Override
    public void close(String reason) {
      connection.cut(reason);
    }
  }
}
