package io.fencepost.samples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.samples.client.Clients;
import io.fencepost.samples.client.EmbeddedBroker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/** The proxy as a process of its own: its lines, and what it says at its end. */
class ProxyCommandIT {
  private static final String READY = "fencepost proxy ready: ";

  @Test
  void it_says_where_it_listens_and_what_it_broke() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(0, null, new TreeMap<>())) {
      Process proxy =
          start(
              "--upstream",
              broker.bootstrapServers(),
              "--plan",
              "Produce[t-0]#2:answer-lost; EndTxn:answer-lost");
      try (BufferedReader out = stdout(proxy)) {
        String ready = out.readLine();
        assertThat(ready).startsWith(READY);
        produce(ready.substring(READY.length()), 3);
        assertThat(out.readLine()).matches("20.*Z Produce\\[t-0]#2 answer-lost \\(t-0, client=.*");
        assertThat(proxy.toHandle().destroy()).isTrue();
        assertThat(proxy.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(out.lines().toList())
            .containsExactly(
                "FAULT                       CALLS  FIRED",
                "Produce[t-0]#2:answer-lost      4  1",
                "EndTxn#1:answer-lost            0  never");
      } finally {
        proxy.destroyForcibly();
      }
    }
  }

  @Test
  void an_upstream_that_does_not_answer_is_refused() throws IOException {
    int port;
    try (ServerSocket nobody = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      port = nobody.getLocalPort();
    }
    Ran ran = Ran.of("proxy", "--upstream", "127.0.0.1:" + port);
    assertThat(ran.code()).isEqualTo(2);
    assertThat(ran.err())
        .contains("--upstream 127.0.0.1:" + port + ": no broker answers there in PLAINTEXT")
        .doesNotContain("\tat ");
  }

  private static void produce(String bootstrap, int count)
      throws ExecutionException, InterruptedException {
    try (KafkaProducer<String, String> producer =
        Clients.producer(Clients.producerSettings(bootstrap))) {
      for (int i = 0; i < count; i++) {
        producer.send(new ProducerRecord<>("t", 0, "k", "v" + i)).get();
      }
    }
  }

  private static BufferedReader stdout(Process process) {
    return new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  private static Process start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + "/bin/java");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(Main.class.getName(), "proxy"));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }
}
