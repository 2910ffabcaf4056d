package io.fencepost.streams.main;

import io.fencepost.streams.rocks.TaskStores;
import io.fencepost.streams.store.StoreOpener;
import io.fencepost.streams.store.StoreTable;
import io.fencepost.streams.store.TaskId;
import java.util.Collection;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the tables of tasks that the workers are about to take over from a dead process, while they
 * still join their group: after a kill a database reads its log first. What nobody has asked for
 * after a while is closed again, and sooner if another instance waits for it. Thread-safe.
 */
final class EarlyStores implements StoreOpener {
  private static final Logger log = LoggerFactory.getLogger(EarlyStores.class);

  private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long LOOK_MS = 100;
  private static final long CLOSE_MS = 6_000;

  private final TaskStores stores;
  private final StoreOpener others;
  private final Supplier<Collection<TaskId>> expected;
  private final ConcurrentMap<TaskId, FutureTask<@Nullable StoreTable>> begun =
      new ConcurrentSkipListMap<>();
  private final Thread thread = new Thread(this::work, "fencepost-stores");
  private final CountDownLatch closed = new CountDownLatch(1);

  /**
   * @param others whom a worker asks for all other tables
   * @param expected the tasks that come for sure; asked once, and none come if it throws
   */
  EarlyStores(TaskStores stores, StoreOpener others, Supplier<Collection<TaskId>> expected) {
    this.stores = stores;
    this.others = others;
    this.expected = expected;
  }

  void start() {
    thread.setDaemon(true);
    thread.start();
  }

  private @Nullable StoreTable openUnlessClosed(TaskId task) {
    return closed.getCount() == 0 ? null : stores.openIfFree(task);
  }

  private void work() {
    openAll();
    long endNanos = System.nanoTime() + KEPT_NANOS;
    try {
      while (!begun.isEmpty() && System.nanoTime() - endNanos < 0) {
        giveUpWanted();
        if (closed.await(LOOK_MS, TimeUnit.MILLISECONDS)) {
          break;
        }
      }
    } catch (InterruptedException e) {
      // Nobody needs this thread any more.
      log.debug("interrupted", e);
    }
    begun.keySet().forEach(this::giveUp);
  }

  void openAll() {
    try {
      for (TaskId task : expected.get()) {
        begun.put(task, new FutureTask<>(() -> openUnlessClosed(task)));
      }
    } catch (RuntimeException e) {
      log.debug("nobody knows yet which tasks come", e);
    }
    begun.values().forEach(FutureTask::run);
  }

  /** Gives up what another instance with the same state directory waits for. */
  void giveUpWanted() {
    begun.keySet().stream().filter(stores::isWanted).forEach(this::giveUp);
  }

  private void giveUp(TaskId task) {
    FutureTask<@Nullable StoreTable> opening = begun.remove(task);
    if (opening == null) {
      return;
    }
    try {
      StoreTable tables = tables(opening);
      if (tables != null) {
        tables.close();
      }
    } catch (RuntimeException e) {
      log.debug("the store of task {} was not opened early", task, e);
    }
  }

  @Override
  public @Nullable StoreTable open(TaskId task) {
    FutureTask<@Nullable StoreTable> opening = begun.remove(task);
    try {
      StoreTable tables = opening == null ? null : tables(opening);
      return tables == null ? others.open(task) : tables;
    } catch (InterruptException e) {
      if (opening != null) {
        begun.put(task, opening); // closed with the rest
      }
      throw e;
    }
  }

  /** Opens them now if nobody has begun to, else waits for that. */
  private static @Nullable StoreTable tables(FutureTask<@Nullable StoreTable> opening) {
    opening.run();
    return Beside.answer(opening);
  }

  /** Closes what nobody has asked for; returns whether that is done, so that memory may go. */
  boolean close() {
    closed.countDown();
    try {
      thread.join(CLOSE_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    boolean isOver = !thread.isAlive();
    if (isOver) {
      begun.keySet().forEach(this::giveUp);
    }
    return isOver;
  }
}
