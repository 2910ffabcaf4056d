package io.fencepost.samples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.samples.client.Cluster;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The serve command as a process of its own: its one line, its end, and what it refuses. */
class ServeIT {
  private static final String READY = "fencepost ready: ";

  @Test
  void it_says_where_it_serves_and_stops_cleanly_and_keeps_its_data(@TempDir Path directory)
      throws IOException, InterruptedException {
    Process first = serve(directory);
    try (BufferedReader out = stdout(first)) {
      try (Cluster cluster = Cluster.connect(address(out))) {
        cluster.createTopics(List.of("kept"), 1);
      }
      // Through the handle: Process.destroy would close the stream that is read next.
      assertThat(first.toHandle().destroy()).isTrue();
      assertThat(first.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(out.readLine()).as("nothing but the ready line on stdout").isNull();
    }
    Process second = serve(directory);
    try (BufferedReader out = stdout(second);
        Cluster cluster = Cluster.connect(address(out))) {
      assertThat(cluster.topics()).contains("kept");
    } finally {
      second.destroy();
      assertThat(second.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void a_directory_in_use_is_refused(@TempDir Path directory)
      throws IOException, InterruptedException {
    Process first = serve(directory);
    try (BufferedReader out = stdout(first)) {
      assertThat(out.readLine()).startsWith(READY);
      Ran second = Ran.of("serve", "--dir", directory.toString());
      assertThat(second.code()).isEqualTo(2);
      assertThat(second.err()).contains(directory.toString()).doesNotContain("\tat ");
      assertThat(second.out()).isEmpty();
    } finally {
      first.destroy();
      assertThat(first.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void an_unknown_setting_is_refused_and_the_nearest_one_named() {
    Ran ran = Ran.of("serve", "--set", "num.partition=3");
    assertThat(ran.code()).isEqualTo(2);
    assertThat(ran.err()).contains("num.partition").contains("num.partitions");
  }

  @Test
  void a_port_that_is_taken_is_refused(@TempDir Path directory)
      throws IOException, InterruptedException {
    Process first = serve(directory);
    try (BufferedReader out = stdout(first)) {
      String address = address(out);
      String port = address.substring(address.lastIndexOf(':') + 1);
      Ran second = Ran.of("serve", "--port", port);
      assertThat(second.code()).isEqualTo(2);
      assertThat(second.err()).contains(port).doesNotContain("\tat ");
    } finally {
      first.destroy();
      assertThat(first.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--port 70000",
        "--port nine",
        "--port 65534 --brokers 3",
        "--dir FILE",
        "--dir ",
        "--dir  --brokers 3",
        "--brokers 3 --set default.replication.factor=4",
        "--brokers 3 --set min.insync.replicas=4",
        "--brokers 3 --set listeners=PLAINTEXT://localhost:9092",
        "--dir FILE/below",
        "--dir /proc/nothing",
        "--set nonsense.key=1",
        "--set num.partitions=none",
        "--set num.partitions=0",
        "--set flush=maybe",
        "--set listeners=localhost",
        "--set listeners=PLAINTEXT://localhost:70000",
        "--set advertised.listeners=PLAINTEXT://localhost:-1",
        "--set log.dirs="
      })
  void what_cannot_be_used_is_refused_in_one_sentence(String arguments, @TempDir Path directory)
      throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    Ran ran = Ran.of(("serve " + arguments.replace("FILE", file.toString())).split(" ", -1));
    assertThat(ran.code()).as(ran.err()).isEqualTo(2);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err()).startsWith("fencepost serve: ").doesNotContain("\tat ", "Exception");
    assertThat(ran.err().lines().filter(line -> !line.startsWith("Try '"))).hasSize(1);
  }

  @Test
  void a_file_where_the_directory_should_be_is_called_a_file(@TempDir Path directory)
      throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    assertThat(Ran.of("serve", "--dir", file.toString()).err())
        .contains(file.toString())
        .contains("is a file");
  }

  private static Process serve(Path directory) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    command.addAll(List.of("serve", "--dir", directory.toString()));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private static BufferedReader stdout(Process process) {
    return new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  private static String address(BufferedReader out) throws IOException {
    String line = out.readLine();
    assertThat(line).startsWith(READY);
    return line.substring(READY.length());
  }
}
