package io.fencepost.broker.net;

import io.fencepost.broker.port.FrameService;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection: reads a frame, has it served, waits for the answer, writes it, and begins again.
 * So requests are answered in order and one is in process at a time, as the protocol wants. Runs on
 * a thread of its own; the listener's reaper looks at it from another.
 */
final class ConnectionLoop implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionLoop.class);

  /** What the connection is doing; decides which clock runs against it. */
  enum Phase {
    /** Between frames. */
    IDLE,
    /** A frame is partly here. */
    RECEIVING,
    /** The broker works; nobody is in delay but us. */
    SERVING,
    /** The peer takes the answer. */
    SENDING
  }

  private final SocketChannel channel;
  private final FrameService service;
  private final FrameService.Peer peer;
  private final ReceiveBuffer receiver;
  private final Runnable onEnd;
  private volatile Phase phase = Phase.IDLE;
  private volatile long phaseNanos = System.nanoTime();
  private volatile boolean stopping;
  private volatile boolean cut;

  ConnectionLoop(
      SocketChannel channel,
      FrameService service,
      FrameService.Peer peer,
      ReceiveBuffer receiver,
      Runnable onEnd) {
    this.channel = channel;
    this.service = service;
    this.peer = peer;
    this.receiver = receiver;
    this.onEnd = onEnd;
  }

  @Override
  public void run() {
    try {
      while (!stopping && serveOne()) {
        enter(Phase.IDLE);
      }
    } catch (ReceiveBuffer.BadLength refused) {
      LOG.warn("Closing connection {}: {}", name(), refused.getMessage());
    } catch (ClosedChannelException closed) {
      LOG.debug("Connection {} was closed", name());
    } catch (IOException gone) {
      LOG.debug("Connection {} ended: {}", name(), gone.toString());
    } catch (RuntimeException | Error bug) {
      LOG.error("Closing connection {}: a request could not be served", name(), bug);
    } finally {
      receiver.release();
      close();
      onEnd.run();
    }
  }

  private boolean serveOne() throws IOException {
    ByteBuffer frame = receiver.next(channel, () -> enter(Phase.RECEIVING));
    if (frame == null) {
      return false;
    }
    enter(Phase.SERVING);
    PendingAnswer answer = new PendingAnswer();
    service.serve(frame, peer, answer);
    PendingAnswer.Outcome outcome = answer.await();
    if (outcome.closeReason() != null) {
      LOG.warn("Closing connection {}: {}", name(), outcome.closeReason());
      return false;
    }
    if (!outcome.isSilent()) {
      enter(Phase.SENDING);
      ResponseWriter.write(channel, outcome.parts());
    }
    receiver.onAnswered();
    return true;
  }

  private void enter(Phase next) {
    if (next != phase) {
      phaseNanos = System.nanoTime();
      phase = next;
    }
  }

  Phase phase() {
    return phase;
  }

  long inPhaseMs() {
    return (System.nanoTime() - phaseNanos) / 1_000_000;
  }

  /** Ends the loop after the request in process; at once if there is none. */
  void finish() {
    stopping = true;
    if (phase == Phase.IDLE) {
      close();
    }
  }

  /** Ends the connection now, for this reason. */
  void cut(String reason) {
    if (!cut) {
      cut = true;
      LOG.info("Closing connection {}: {}", name(), reason);
    }
    close();
  }

  private void close() {
    try {
      channel.close();
    } catch (IOException alreadyBroken) {
      LOG.debug("Connection {} did not close cleanly: {}", name(), alreadyBroken.toString());
    }
  }

  private String name() {
    return peer.connectionId() + " of " + peer.host();
  }
}
