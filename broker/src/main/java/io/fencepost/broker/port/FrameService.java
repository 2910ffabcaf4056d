package io.fencepost.broker.port;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * The network as the core sees it: a request frame goes in, an answer comes out, once. Shells (a
 * socket, the simulated network) call it; the router implements it.
 *
 * <p>Per connection there is at most one request in process; the caller waits for its answer before
 * it brings the next one. Different connections call from different threads.
 */
public interface FrameService {
  /**
   * @param frame the request without its length prefix; it belongs to the service until answered
   */
  void serve(ByteBuffer frame, Peer peer, Answer answer);

  /** Who is at the other end of a connection. The id is never used twice in a broker's life. */
  record Peer(long connectionId, String host) {}

  /** Exactly one of the three that end it is called, exactly once, from any thread. */
  interface Answer {
    /**
     * Takes memory for what this request is decoded to and answered with, until it is answered.
     *
     * @return false if requests hold as much as they may already; then close
     */
    default boolean claim(long sizeBytes) {
      return true;
    }

    /**
     * If the connection ends before the answer is given, nobody will take it: then this runs, once,
     * and what waits for the answer can go. At most one per request, given before the answer.
     */
    default void onAbandoned(Runnable action) {}

    /** The parts of the response frame in order, without the length prefix. */
    void send(List<Bytes> parts);

    /** The request wants no answer (acks=0); the connection stays. */
    void sendNothing();

    /** Ends the connection without an answer; the reason is for the log. */
    void close(String reason);
  }
}
