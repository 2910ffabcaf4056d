package io.fencepost.streams.jdbc;

import io.fencepost.streams.JobEnd;
import io.fencepost.streams.StopReason;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread around one {@link SinkLoop}. */
final class SinkWorker implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(SinkWorker.class);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

  private final String name;
  private final SinkLoop<?, ?> loop;
  private final Consumer<byte[], byte[]> consumer;
  private final java.util.function.Consumer<SinkWorker> onEnd;
  private final Thread thread;
  private volatile boolean isStopping;
  private volatile @Nullable JobEnd end;

  SinkWorker(
      String name,
      SinkLoop<?, ?> loop,
      Consumer<byte[], byte[]> consumer,
      java.util.function.Consumer<SinkWorker> onEnd) {
    this.name = name;
    this.loop = loop;
    this.consumer = consumer;
    this.onEnd = onEnd;
    this.thread = new Thread(this, name);
  }

  void start() {
    thread.start();
  }

  @Override
  public void run() {
    JobEnd why = null;
    try {
      loop.subscribe();
      boolean goesOn = true;
      while (goesOn && !isStopping) {
        goesOn = loop.step(nowMs());
      }
      why = loop.end();
      if (why != null && why.reason() == StopReason.STOPPED && !isStopping) {
        why =
            new JobEnd(
                StopReason.FAILED,
                "its thread was interrupted, and nobody had asked the sink to stop: "
                    + why.detail(),
                why.cause(),
                List.of());
      }
    } catch (Throwable e) {
      log.error("{}: the worker failed", name, e);
      why = new JobEnd(StopReason.FAILED, e.toString(), e, List.of());
    }
    end = closed(why == null ? new JobEnd(StopReason.STOPPED, "stopped", null, List.of()) : why);
    onEnd.accept(this);
  }

  private JobEnd closed(JobEnd why) {
    boolean isHurried = Thread.interrupted();
    try {
      loop.close(isHurried ? Duration.ZERO : CLOSE_TIMEOUT);
      return why;
    } catch (RuntimeException e) {
      return new JobEnd(
          why.reason(),
          why.detail(),
          why.cause(),
          List.of(name + ": the consumer did not close: " + e));
    }
  }

  private static long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  /** Ends after the transaction at hand. */
  void stop() {
    isStopping = true;
    consumer.wakeup();
  }

  void interrupt() {
    loop.hurry();
    thread.interrupt();
  }

  String name() {
    return name;
  }

  SinkHealth health() {
    JobEnd ended = end;
    return ended == null
        ? loop.health()
        : new SinkHealth(SinkHealth.State.ENDED, ended.reason() + ": " + ended.detail());
  }

  SinkCounts counts() {
    return loop.counts();
  }

  @Nullable JobEnd end() {
    return end;
  }
}
