package io.fencepost.testkit.peers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * All peers on one broker. The clients in other languages run in processes of their own meanwhile,
 * as all of them spend their time on waiting.
 */
@TestInstance(Lifecycle.PER_CLASS)
@TestMethodOrder(OrderAnnotation.class)
abstract class PeerBehaviour implements StreamsBehaviour, SpringBehaviour {
  private final Map<String, ScriptRun> runs = new TreeMap<>();

  static List<String> clients() {
    return List.of("kcat", "confluent", "kafkajs");
  }

  @BeforeAll
  void startThem(@TempDir Path directory) throws IOException {
    for (String client : clients()) {
      runs.put(client, ScriptRun.start(client, bootstrap(), directory));
    }
  }

  @AfterAll
  void stopThem() {
    runs.values().forEach(ScriptRun::stop);
  }

  @Order(Integer.MAX_VALUE)
  @ParameterizedTest
  @MethodSource("clients")
  void scripted_clients_use_groups_and_transactions(String client) throws Exception {
    runs.get(client).assertAllStepsAreOk();
  }
}
