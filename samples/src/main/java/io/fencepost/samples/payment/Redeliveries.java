package io.fencepost.samples.payment;

import java.util.Comparator;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * Sends a seeded share of deliveries once more, each some deliveries later, as a gateway does that
 * lost the answer. Redeliveries may be redelivered. Same input and seed: same sequence. Not thread
 * safe.
 */
public final class Redeliveries implements Iterator<Delivery> {
  private static final int DELAY_MAX = 2_000;

  private record Due(long at, long order, Delivery delivery) {}

  private final Iterator<Delivery> source;
  private final double share;
  private final SplittableRandom chance;
  private final PriorityQueue<Due> waiting =
      new PriorityQueue<>(Comparator.comparingLong(Due::at).thenComparingLong(Due::order));
  private long sent;
  private long planned;

  /** {@code share} is the chance of each delivery, from 0 to below 1, to be sent again. */
  public Redeliveries(Iterator<Delivery> source, double share, long seed) {
    this.source = source;
    this.share = share;
    this.chance = new SplittableRandom(seed);
  }

  @Override
  public boolean hasNext() {
    return source.hasNext() || !waiting.isEmpty();
  }

  @Override
  public Delivery next() {
    Due due = waiting.peek();
    Delivery delivery;
    if (due != null && (due.at() <= sent || !source.hasNext())) {
      waiting.remove();
      delivery = due.delivery();
    } else if (source.hasNext()) {
      delivery = source.next();
    } else {
      throw new NoSuchElementException();
    }
    sent++;
    if (chance.nextDouble() < share) {
      long at = sent + 1 + chance.nextInt(DELAY_MAX);
      waiting.add(new Due(at, planned++, delivery.again()));
    }
    return delivery;
  }
}
