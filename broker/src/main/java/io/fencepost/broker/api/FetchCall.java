package io.fencepost.broker.api;

import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.replica.FetchResult;
import io.fencepost.broker.replica.FetchWatch;
import io.fencepost.broker.replica.PartitionGate;
import io.fencepost.broker.wire.message.FetchRequest;
import io.fencepost.broker.wire.message.FetchResponse;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A gate: one fetch that may wait. Woken by any of its partitions or by its timer, from any thread;
 * it takes the locks of partitions, which never take this one.
 */
final class FetchCall {
  private record Watched(PartitionGate gate, FetchWatch watch) {}

  private final FetchReader reader;
  private final FetchAnswer answer;
  private final Reply<FetchResponse> reply;
  private final int maxWaitMs;
  private final int minBytes;
  private final List<Watched> watched = new ArrayList<>(1);
  private Scheduler.@Nullable Timer timer;
  private boolean isDone;

  FetchCall(
      FetchReader reader,
      FetchAnswer answer,
      FetchRequest request,
      long longestWaitMs,
      Reply<FetchResponse> reply) {
    this.reader = reader;
    this.answer = answer;
    this.reply = reply;
    this.maxWaitMs = (int) Math.min(request.maxWaitMs, longestWaitMs);
    this.minBytes = Math.min(request.minBytes, reader.maxBytes());
  }

  void start(Scheduler scheduler) {
    boolean waits;
    FetchReader.Reads reads;
    synchronized (this) {
      reads = attempt(maxWaitMs <= 0);
      waits = reads == null;
      if (waits) {
        timer = scheduler.after(maxWaitMs, this::onTimer);
        reply.onAbandoned(this::abandon);
      }
    }
    send(reads);
  }

  private void onWake() {
    FetchReader.Reads reads;
    synchronized (this) {
      reads = isDone ? null : attempt(false);
    }
    send(reads);
  }

  private void onTimer() {
    FetchReader.Reads reads;
    synchronized (this) {
      reads = isDone ? null : attempt(true);
    }
    send(reads);
  }

  /** Its reader has left. */
  private synchronized void abandon() {
    isDone = true;
    if (timer != null) {
      timer.cancel();
    }
    cancelWatches();
  }

  private void send(FetchReader.@Nullable Reads reads) {
    if (reads != null) {
      reply.send(answer.of(reads));
    }
  }

  /** What to answer, or null if watches are set and the fetch waits on. */
  private FetchReader.@Nullable Reads attempt(boolean isLast) {
    while (true) {
      cancelWatches();
      FetchReader.Reads reads = reader.read();
      if (isLast || reads.isFinal() || reads.sizeBytes() >= minBytes) {
        isDone = true;
        if (timer != null) {
          timer.cancel();
        }
        return reads;
      }
      if (watch(reads)) {
        return null;
      }
    }
  }

  /** False if a partition moved on since it was read: then nothing is known to wait for. */
  private boolean watch(FetchReader.Reads reads) {
    for (FetchReader.Read read : reads.reads()) {
      PartitionGate gate = read.gate();
      FetchResult result = read.result();
      if (gate == null) {
        continue;
      }
      FetchWatch watch = new FetchWatch(reader.isolation(), result.visibleEnd(), this::onWake);
      if (!gate.watch(watch)) {
        return false;
      }
      watched.add(new Watched(gate, watch));
    }
    return true;
  }

  private void cancelWatches() {
    watched.forEach(each -> each.gate().cancel(each.watch()));
    watched.clear();
  }
}
