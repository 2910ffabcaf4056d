package io.fencepost.broker.replica;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The network between the brokers of a cluster that lives in one JVM: a question is a method call,
 * and every way between two brokers can be cut and mended. Thread-safe.
 */
public final class Links {
  private final Consumer<Runnable> courier;

  // Replaced at each change, never changed: every message looks into them.
  private volatile SortedMap<Integer, Peer> peers = new TreeMap<>();
  private volatile SortedMap<Integer, Long> lags = new TreeMap<>();
  private volatile SortedMap<Way, Link> links = new TreeMap<>();

  /** Between two brokers, whichever of them asks. */
  private record Way(int lower, int higher) implements Comparable<Way> {
    private static final Comparator<Way> ORDER =
        Comparator.comparingInt(Way::lower).thenComparingInt(Way::higher);

    @Override
    public int compareTo(Way other) {
      return ORDER.compare(this, other);
    }

    static Way of(int one, int other) {
      return new Way(Math.min(one, other), Math.max(one, other));
    }
  }

  /** Messages arrive at once. */
  public Links() {
    this(Runnable::run);
  }

  /**
   * @param courier brings each message, at once or later, in any order
   */
  public Links(Consumer<Runnable> courier) {
    this.courier = courier;
  }

  /** The broker can be asked from now on. */
  public synchronized void join(int broker, Peer peer) {
    TreeMap<Integer, Peer> next = new TreeMap<>(peers);
    next.put(broker, peer);
    peers = next;
  }

  /** The broker is gone: whoever waits for it, or whom it asked, learns so. */
  public void leave(int broker) {
    forget(broker);
    links.forEach(
        (way, link) -> {
          if (way.lower == broker || way.higher == broker) {
            link.loseAll();
          }
        });
  }

  private synchronized void forget(int broker) {
    TreeMap<Integer, Peer> next = new TreeMap<>(peers);
    next.remove(broker);
    peers = next;
    lag(broker, 0);
  }

  /** No message gets through between the two, and those on their way are lost. */
  public void cut(int one, int other) {
    Link link = link(one, other);
    link.setCut(true);
    link.loseAll();
  }

  public void mend(int one, int other) {
    link(one, other).setCut(false);
  }

  public boolean isCut(int one, int other) {
    return link(one, other).isCut();
  }

  /** The broker takes in what it follows that much later; 0 ends that. */
  public synchronized void lag(int broker, long delayMs) {
    TreeMap<Integer, Long> next = new TreeMap<>(lags);
    next.put(broker, delayMs);
    lags = next;
  }

  /** The others, as this broker reaches them. */
  public Peers of(int broker) {
    return new Peers() {
      @Override
      public <T> void ask(
          int other, BiConsumer<Peer, Reply<T>> request, Consumer<T> answer, Runnable lost) {
        Call<T> call = new Call<>(link(broker, other), answer, lost);
        Peer peer = peers.get(other);
        if (peer == null || !peers.containsKey(broker) || !call.begin()) {
          lost.run();
          return;
        }
        if (!peer.equals(peers.get(other))) {
          // It left before it could know of this call.
          call.lose();
          return;
        }
        courier.accept(
            () -> {
              if (call.isPending()) {
                request.accept(peer, call);
              }
            });
      }

      @Override
      public long lagMs() {
        return lags.getOrDefault(broker, 0L);
      }
    };
  }

  private Link link(int one, int other) {
    Link known = links.get(Way.of(one, other));
    return known == null ? newLink(Way.of(one, other)) : known;
  }

  private synchronized Link newLink(Way way) {
    TreeMap<Way, Link> next = new TreeMap<>(links);
    Link link = next.computeIfAbsent(way, absent -> new Link());
    links = next;
    return link;
  }

  /** The calls between two brokers that have no answer yet. */
  private static final class Link {
    private final LinkedHashSet<Call<?>> pending = new LinkedHashSet<>();
    private boolean cut;

    synchronized void setCut(boolean isCut) {
      cut = isCut;
    }

    synchronized boolean isCut() {
      return cut;
    }

    synchronized boolean add(Call<?> call) {
      return !cut && pending.add(call);
    }

    synchronized boolean remove(Call<?> call) {
      return pending.remove(call);
    }

    synchronized boolean contains(Call<?> call) {
      return pending.contains(call);
    }

    void loseAll() {
      List<Call<?>> lost;
      synchronized (this) {
        lost = new ArrayList<>(pending);
      }
      lost.forEach(Call::lose);
    }
  }

  /** One question. */
  private final class Call<T> implements Peers.Reply<T> {
    private final Link link;
    private final Consumer<T> answer;
    private final Runnable lost;
    private @Nullable Runnable listener;
    private boolean isLost;

    Call(Link link, Consumer<T> answer, Runnable lost) {
      this.link = link;
      this.answer = answer;
      this.lost = lost;
    }

    boolean begin() {
      return link.add(this);
    }

    boolean isPending() {
      return link.contains(this);
    }

    @Override
    public void send(T said) {
      courier.accept(
          () -> {
            if (link.remove(this)) {
              answer.accept(said);
            }
          });
    }

    @Override
    public void onLost(Runnable toldOfLoss) {
      boolean isTooLate;
      synchronized (this) {
        listener = toldOfLoss;
        isTooLate = isLost;
      }
      if (isTooLate) {
        toldOfLoss.run();
      }
    }

    void lose() {
      if (!link.remove(this)) {
        return;
      }
      Runnable told;
      synchronized (this) {
        isLost = true;
        told = listener;
      }
      lost.run();
      if (told != null) {
        told.run();
      }
    }
  }
}
