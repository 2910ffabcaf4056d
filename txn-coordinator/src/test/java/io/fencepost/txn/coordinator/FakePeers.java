package io.fencepost.txn.coordinator;

import io.fencepost.broker.replica.Peer;
import io.fencepost.broker.replica.Peers;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Other brokers that answer at once, unless the way to them is cut. */
final class FakePeers implements Peers {
  final TreeMap<Integer, Peer> brokers = new TreeMap<>();
  final List<Integer> asked = new ArrayList<>();

  /** What is done there is not heard of here. */
  boolean losesAnswers;

  @Override
  public <T> void ask(
      int broker, BiConsumer<Peer, Reply<T>> request, Consumer<T> answer, Runnable lost) {
    asked.add(broker);
    Peer peer = brokers.get(broker);
    if (peer == null) {
      lost.run();
      return;
    }
    request.accept(
        peer,
        new Reply<>() {
          @Override
          public void send(T sent) {
            if (losesAnswers) {
              lost.run();
            } else {
              answer.accept(sent);
            }
          }

          @Override
          public void onLost(Runnable listener) {}
        });
  }
}
