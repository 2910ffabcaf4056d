package io.fencepost.testkit.main;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One Apache Kafka broker as a child process, for tests that ask the real one. Its jars come from
 * the module reference-kafka; where they are missing {@link #isAvailable} is false and tests skip
 * themselves. The data directory is temporary and goes with {@link #close}; {@link #kill}, {@link
 * #stop} and {@link #start} keep it.
 */
public final class ReferenceKafka implements AutoCloseable {
  private static final long START_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final Path directory;
  private final int port;
  private final Thread ender = new Thread(this::end, "reference-kafka-end");
  private volatile @Nullable Process process;

  private ReferenceKafka(Path directory, int port) {
    this.directory = directory;
    this.port = port;
    // Tests that are stopped from outside must not leave a broker behind.
    Runtime.getRuntime().addShutdownHook(ender);
  }

  /** Whether the jars are there; build the module reference-kafka to get them. */
  public static boolean isAvailable() {
    return libraries().isPresent();
  }

  /** The directory of Apache Kafka's jars, if they are there. */
  public static Optional<Path> libraries() {
    String root = System.getProperty("fencepost.root", System.getProperty("user.dir"));
    Path lib = Path.of(root, "reference-kafka", "target", "lib");
    try (Stream<Path> jars = Files.isDirectory(lib) ? Files.list(lib) : Stream.empty()) {
      boolean isThere = jars.anyMatch(jar -> jar.getFileName().toString().startsWith("kafka_2.13"));
      return isThere ? Optional.of(lib) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** A fresh broker with these settings over the defaults for one node; returns when it accepts. */
  public static ReferenceKafka startFresh(Map<String, String> settings) {
    return startFresh(1, settings).get(0);
  }

  /**
   * A fresh cluster of so many nodes, each broker and controller, with these settings over the
   * defaults; returns when all accept.
   */
  public static List<ReferenceKafka> startFresh(int nodes, Map<String, String> settings) {
    List<ReferenceKafka> started = new ArrayList<>();
    try {
      for (int i = 0; i < nodes; i++) {
        started.add(new ReferenceKafka(Files.createTempDirectory("reference-kafka"), freePort()));
      }
      List<Integer> controllerPorts = new ArrayList<>();
      List<String> voters = new ArrayList<>();
      for (int id = 1; id <= nodes; id++) {
        controllerPorts.add(freePort());
        voters.add(id + "@localhost:" + controllerPorts.get(id - 1));
      }
      String clusterId = clusterId();
      for (int id = 1; id <= nodes; id++) {
        ReferenceKafka kafka = started.get(id - 1);
        TreeMap<String, String> all =
            new TreeMap<>(
                defaults(kafka.directory, kafka.port, controllerPorts.get(id - 1), nodes));
        all.put("node.id", String.valueOf(id));
        all.put("controller.quorum.voters", String.join(",", voters));
        all.putAll(settings);
        kafka.format(clusterId, all);
      }
      for (ReferenceKafka kafka : started) {
        kafka.process = kafka.launch();
      }
      for (ReferenceKafka kafka : started) {
        kafka.awaitPort();
      }
      return started;
    } catch (IOException | UncheckedIOException e) {
      started.forEach(ReferenceKafka::close);
      throw e instanceof IOException io ? new UncheckedIOException(io) : (UncheckedIOException) e;
    }
  }

  private static Map<String, String> defaults(
      Path directory, int port, int controllerPort, int nodes) {
    TreeMap<String, String> settings = new TreeMap<>();
    settings.put("process.roles", "broker,controller");
    settings.put(
        "listeners", "PLAINTEXT://localhost:" + port + ",CONTROLLER://localhost:" + controllerPort);
    settings.put("advertised.listeners", "PLAINTEXT://localhost:" + port);
    settings.put("controller.listener.names", "CONTROLLER");
    settings.put("log.dirs", directory.resolve("data").toString());
    settings.put("offsets.topic.num.partitions", "2");
    if (nodes > 1) {
      settings.put("default.replication.factor", String.valueOf(nodes));
      settings.put("min.insync.replicas", String.valueOf((nodes + 1) / 2));
    }
    settings.put("offsets.topic.replication.factor", String.valueOf(nodes));
    settings.put("transaction.state.log.num.partitions", "2");
    settings.put("transaction.state.log.replication.factor", String.valueOf(nodes));
    settings.put("transaction.state.log.min.isr", String.valueOf((nodes + 1) / 2));
    settings.put("group.initial.rebalance.delay.ms", "0");
    settings.put("log.cleaner.dedupe.buffer.size", "4194304");
    return settings;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static String clusterId() {
    byte[] id = new byte[16];
    ThreadLocalRandom.current().nextBytes(id);
    String clusterId = Base64.getUrlEncoder().withoutPadding().encodeToString(id);
    return clusterId.startsWith("-") ? "A" + clusterId.substring(1) : clusterId;
  }

  private void format(String clusterId, Map<String, String> settings) throws IOException {
    Files.write(
        properties(),
        settings.entrySet().stream().map(each -> each.getKey() + "=" + each.getValue()).toList());
    Process format =
        java(
            directory,
            "kafka.tools.StorageTool",
            "format",
            "-t",
            clusterId,
            "-c",
            properties().toString());
    process = format;
    try {
      if (!format.waitFor(60, TimeUnit.SECONDS) || format.exitValue() != 0) {
        throw new IOException("formatting failed:\n" + Files.readString(log(directory)));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private Path properties() {
    return directory.resolve("server.properties");
  }

  private Process launch() throws IOException {
    return java(directory, "kafka.Kafka", properties().toString());
  }

  private static Process java(Path directory, String... command) throws IOException {
    Path lib = libraries().orElseThrow(() -> new IOException("reference-kafka is not built"));
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(
        List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", lib + "/*"));
    line.addAll(List.of(command));
    return new ProcessBuilder(line)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log(directory).toFile()))
        .start();
  }

  private static Path log(Path directory) {
    return directory.resolve("process.log");
  }

  private void awaitPort() throws IOException {
    long deadline = System.nanoTime() + START_TIMEOUT_NANOS;
    while (true) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress("localhost", port), 200);
        return;
      } catch (IOException e) {
        if (process == null || !process.isAlive() || System.nanoTime() > deadline) {
          throw new IOException("Kafka did not start:\n" + Files.readString(log(directory)), e);
        }
        pause();
      }
    }
  }

  private static void pause() throws IOException {
    try {
      TimeUnit.MILLISECONDS.sleep(50);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  public String bootstrapServers() {
    return "localhost:" + port;
  }

  /** As kill -9. */
  public void kill() {
    Process running = process;
    if (running != null) {
      running.destroyForcibly().onExit().join();
    }
  }

  /** As SIGTERM; returns when the process is gone. */
  public void stop() {
    Process running = process;
    if (running != null) {
      running.destroy();
      running.onExit().join();
    }
  }

  public boolean isRunning() {
    Process running = process;
    return running != null && running.isAlive();
  }

  /** Starts again on the same directory and port. */
  public void start() {
    try {
      process = launch();
      awaitPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    Runtime.getRuntime().removeShutdownHook(ender);
    end();
  }

  private void end() {
    kill();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
