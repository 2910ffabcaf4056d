package io.fencepost.testkit.campaign.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * The instances of the job. One that dies gets a successor with the same transactional id.
 * Thread-safe.
 */
public final class Crew {
  private static final long REST_MS = 100;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Clients clients;
  private final Recorder recorder;
  private final Tally tally;
  private final List<Seat> seats = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopping;

  /** An instance through all its lives. */
  final class Seat {
    private final String id;
    private final SplittableRandom random;
    private int incarnation;
    private volatile Teller current;

    Seat(String id, long seed) {
      this.id = id;
      this.random = new SplittableRandom(seed);
      this.current = next();
    }

    private synchronized Teller next() {
      incarnation++;
      current = new Teller(clients, recorder, tally, id, incarnation, random.nextLong());
      return current;
    }

    synchronized long draw() {
      return random.nextLong();
    }

    /** Starts a successor while the present instance still stands there. */
    void succeed() {
      startThread(next(), this);
    }

    /** Whether an instance after this one owns the transactional id; waits for that. */
    boolean awaitSuccessor(Teller old) {
      long end = System.nanoTime() + PATIENCE.toNanos();
      while (System.nanoTime() < end) {
        Teller now = current;
        if (now != old && now.isOpen()) {
          return true;
        }
        Parking.millis(10);
      }
      return false;
    }

    private void live(Teller first) {
      Teller teller = first;
      while (true) {
        teller.run();
        synchronized (this) {
          if (stopping || current != teller) {
            return;
          }
        }
        Parking.millis(REST_MS);
        teller = next();
        if (stopping) {
          teller.stop();
        }
      }
    }
  }

  public Crew(Clients clients, Recorder recorder, Tally tally, int instances, long seed) {
    this.clients = clients;
    this.recorder = recorder;
    this.tally = tally;
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 1; i <= instances; i++) {
      seats.add(new Seat("teller-" + i, random.nextLong()));
    }
  }

  public void start() {
    seats.forEach(seat -> startThread(seat.current, seat));
  }

  private synchronized void startThread(Teller first, Seat seat) {
    Thread thread = recorder.thread(first.session(), () -> seat.live(first));
    threads.add(thread);
    thread.start();
  }

  /** How many instances there are. */
  public int size() {
    return seats.size();
  }

  /** The transactional id of an instance; they are numbered from 1. */
  public String transactionalId(int instance) {
    return seats.get(instance - 1).id;
  }

  /** An instance is gone without a word. */
  public void kill(int instance) {
    seats.get(instance - 1).current.kill();
  }

  /** Within its next transaction an instance stands still until it has a successor. */
  public boolean turnIntoZombie(int instance) {
    Seat seat = seats.get(instance - 1);
    return seat.current.interfere(new Zombie(seat, recorder, tally));
  }

  /** Within its next transaction an instance stands still until its group has given it up. */
  public boolean makeStale(int instance) {
    Seat seat = seats.get(instance - 1);
    return seat.current.interfere(new Straggler(clients, recorder, tally));
  }

  /** Each ends its present transaction and leaves the group; false if one does not come back. */
  public boolean finish(Duration patience) throws InterruptedException {
    stopping = true;
    seats.forEach(seat -> seat.current.stop());
    long end = System.nanoTime() + patience.toNanos();
    for (Thread thread : copy()) {
      thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
      if (thread.isAlive()) {
        recorder.trouble(thread.getName() + " does not end: " + List.of(thread.getStackTrace()));
        return false;
      }
    }
    return true;
  }

  private synchronized List<Thread> copy() {
    return List.copyOf(threads);
  }
}
