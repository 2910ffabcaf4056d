package io.fencepost.broker.net;

import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.port.FrameService;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The answer to one request, awaited by the connection's thread, given by any. */
final class PendingAnswer implements FrameService.Answer {
  /** What came: parts to send, or nothing to send, or a reason to close. */
  record Outcome(List<Bytes> parts, boolean isSilent, @Nullable String closeReason) {}

  private final Thread reader = Thread.currentThread();
  private final MemoryGate.Share memory;
  private final AtomicReference<@Nullable Outcome> outcome = new AtomicReference<>();
  private volatile @Nullable Runnable whenAbandoned;

  /**
   * @param memory where the request's memory is claimed
   */
  PendingAnswer(MemoryGate.Share memory) {
    this.memory = memory;
  }

  @Override
  public boolean claim(long sizeBytes) {
    return memory.claim(sizeBytes);
  }

  @Override
  public void onAbandoned(Runnable action) {
    whenAbandoned = action;
  }

  /** The connection has ended without the answer. Called by the thread that made this. */
  void abandon() {
    Runnable action = whenAbandoned;
    if (action != null) {
      action.run();
    }
  }

  @Override
  public void send(List<Bytes> parts) {
    give(new Outcome(parts, false, null));
  }

  @Override
  public void sendNothing() {
    give(new Outcome(List.of(), true, null));
  }

  @Override
  public void close(String reason) {
    give(new Outcome(List.of(), true, reason));
  }

  /** The first answer counts. */
  private void give(Outcome given) {
    if (outcome.compareAndSet(null, given)) {
      LockSupport.unpark(reader);
    }
  }

  /** Called by the thread that made this. */
  Outcome await() {
    Outcome given = outcome.get();
    while (given == null) {
      LockSupport.park(this);
      if (Thread.interrupted()) {
        close("the broker stops");
      }
      given = outcome.get();
    }
    return given;
  }
}
