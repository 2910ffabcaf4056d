package io.fencepost.broker.net;

import io.fencepost.broker.port.FrameService;
import io.fencepost.broker.port.Meters;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
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
  private final Meters meters;
  private final Runnable onEnd;
  private volatile Phase phase = Phase.IDLE;
  private volatile long phaseNanos = System.nanoTime();
  private volatile boolean stopping;
  private volatile boolean cut;
  private volatile long progressNanos = System.nanoTime();
  private volatile @Nullable PendingAnswer pending;

  ConnectionLoop(
      SocketChannel channel,
      FrameService service,
      FrameService.Peer peer,
      ReceiveBuffer receiver,
      Meters meters,
      Runnable onEnd) {
    this.channel = channel;
    this.service = service;
    this.peer = peer;
    this.receiver = receiver;
    this.meters = meters;
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
      onEnd.run();
      receiver.release();
      close();
    }
  }

  private boolean serveOne() throws IOException {
    ByteBuffer frame = receiver.next(channel, this::onProgress);
    if (frame == null) {
      return false;
    }
    PendingAnswer answer = new PendingAnswer(receiver.share());
    pending = answer;
    enter(Phase.SERVING);
    // The serving side may move the buffer's marks; the API's number stands first in each frame.
    short apiId = frame.remaining() < Short.BYTES ? -1 : frame.getShort(frame.position());
    long startNanos = System.nanoTime();
    service.serve(frame, peer, answer);
    PendingAnswer.Outcome outcome = answer.await();
    leaveServing();
    pending = null;
    if (outcome.closeReason() != null) {
      answer.abandon();
      if (!cut) {
        LOG.warn("Closing connection {}: {}", name(), outcome.closeReason());
      }
      return false;
    }
    if (!outcome.isSilent()) {
      long sizeBytes = Integer.BYTES + ResponseWriter.sizeBytes(outcome.parts());
      ResponseWriter.write(channel, outcome.parts(), receiver.forSending(sizeBytes));
    }
    meters.onRequest(apiId, System.nanoTime() - startNanos);
    receiver.share().releaseClaims();
    receiver.onAnswered();
    return true;
  }

  private void onProgress() {
    progressNanos = System.nanoTime();
    enter(Phase.RECEIVING);
  }

  /** Not while somebody else reads, see {@link #cutIfPeerLeft}. */
  private synchronized void leaveServing() {
    enter(Phase.SENDING);
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

  /** How long nothing has come of a frame, though the broker was ready for it; else 0. */
  long stalledMs() {
    boolean isStalled = phase == Phase.RECEIVING && !receiver.share().isWaiting();
    return isStalled ? (System.nanoTime() - progressNanos) / 1_000_000 : 0;
  }

  boolean holdsMemory() {
    return receiver.share().holdsMemory();
  }

  /** Looks whether there is still somebody to answer to. */
  synchronized void cutIfPeerLeft() {
    try {
      if (phase == Phase.SERVING && receiver.hasPeerLeft(channel)) {
        cut("its peer left without waiting for the answer");
      }
    } catch (IOException gone) {
      cut("it broke while its request was in process: " + gone.getMessage());
    }
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
    PendingAnswer awaited = pending;
    if (awaited != null) {
      awaited.close(reason);
    }
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
