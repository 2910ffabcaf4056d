package io.fencepost.broker.replica;

import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The other brokers of the cluster, as one of them reaches them. Thread-safe; called under no lock.
 */
public interface Peers {
  /** A broker that is alone: nobody is reached. */
  Peers NONE =
      new Peers() {
        @Override
        public <T> void ask(
            int broker, BiConsumer<Peer, Reply<T>> request, Consumer<T> answer, Runnable lost) {
          lost.run();
        }
      };

  /**
   * Lets the other broker do something and answer, at once or much later. Exactly one of two things
   * happens, from any thread, possibly inside the call: {@code answer} gets what it said, or {@code
   * lost} runs because that broker was not reached or the way to it was cut meanwhile; it may have
   * done what it was asked for nevertheless.
   *
   * @param request runs at the other broker, under no lock
   */
  <T> void ask(int broker, BiConsumer<Peer, Reply<T>> request, Consumer<T> answer, Runnable lost);

  /** How much later than it could this broker takes in what it follows; 0 but in tests. */
  default long lagMs() {
    return 0;
  }

  /** Where the answer to a request goes. Thread-safe. */
  interface Reply<T> {
    /** Only the first answer counts. */
    void send(T answer);

    /** Runs when nobody waits for the answer any more; at once if that is so already. */
    void onLost(Runnable listener);
  }
}
