package io.fencepost.testkit.campaign.client;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Two players who answer each other over two topics. */
final class Match {
  static final String THERE = "ping";
  static final String BACK = "pong";

  private final Recorder recorder;
  private final List<Player> players;
  private final List<Thread> threads = new ArrayList<>();

  Match(Clients clients, Recorder recorder, Tally tally, int partitions, long seed) {
    this.recorder = recorder;
    SplittableRandom random = new SplittableRandom(seed);
    this.players =
        List.of(
            new Player(
                clients,
                recorder,
                tally,
                new Player.Court("player-1", BACK, THERE, partitions),
                random.nextLong()),
            new Player(
                clients,
                recorder,
                tally,
                new Player.Court("player-2", THERE, BACK, partitions),
                random.nextLong()));
  }

  void start() {
    for (int i = 0; i < players.size(); i++) {
      Thread thread = recorder.thread("player-" + (i + 1), players.get(i));
      threads.add(thread);
      thread.start();
    }
  }

  /** Who still plays. Asked for the first time it makes all end. */
  List<String> unfinished() {
    players.forEach(Player::stop);
    return threads.stream()
        .filter(Thread::isAlive)
        .map(thread -> thread.getName() + " still plays")
        .toList();
  }
}
