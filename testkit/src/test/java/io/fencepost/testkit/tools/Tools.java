package io.fencepost.testkit.tools;

import io.fencepost.testkit.tour.Normal;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Kafka's tools by the names of their scripts, in one child process. Not thread-safe. */
final class Tools implements AutoCloseable {
  private static final int LIMIT_SECONDS = 90;
  private static final String SERVER = "--bootstrap-server";
  private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");
  private static final Map<String, String> CLASSES = classes();

  private final String bootstrapServers;
  private final Process process;
  private final DataOutputStream out;
  private final DataInputStream in;

  Tools(Path libraries, String bootstrapServers) throws IOException {
    this.bootstrapServers = bootstrapServers;
    String classes = Path.of("target", "test-classes").toAbsolutePath().toString();
    this.process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-Duser.timezone=UTC",
                "-Dslf4j.internal.verbosity=ERROR",
                "-cp",
                classes + File.pathSeparator + libraries + File.separator + "*",
                ToolMain.class.getName())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    this.out = new DataOutputStream(process.getOutputStream());
    this.in = new DataInputStream(process.getInputStream());
  }

  private static Map<String, String> classes() {
    Map<String, String> classes = new TreeMap<>();
    String lines =
        """
        kafka-topics TopicCommand
        kafka-configs ConfigCommand
        kafka-consumer-groups consumer.group.ConsumerGroupCommand
        kafka-share-groups consumer.group.ShareGroupCommand
        kafka-streams-groups streams.StreamsGroupCommand
        kafka-groups GroupsCommand
        kafka-transactions TransactionsCommand
        kafka-get-offsets GetOffsetShell
        kafka-delete-records DeleteRecordsCommand
        kafka-log-dirs LogDirsCommand
        kafka-console-producer ConsoleProducer
        kafka-console-consumer consumer.ConsoleConsumer
        kafka-producer-perf-test ProducerPerformance
        kafka-consumer-perf-test ConsumerPerformance
        kafka-features FeatureCommand
        kafka-broker-api-versions BrokerApiVersionsCommand
        kafka-cluster ClusterTool
        kafka-metadata-quorum MetadataQuorumCommand
        kafka-leader-election LeaderElectionCommand
        kafka-reassign-partitions reassign.ReassignPartitionsCommand
        kafka-acls AclCommand
        kafka-delegation-tokens DelegationTokenCommand
        kafka-client-metrics ClientMetricsCommand
        kafka-streams-application-reset StreamsResetter
        kafka-verifiable-producer VerifiableProducer
        kafka-e2e-latency EndToEndLatency
        """;
    lines
        .lines()
        .map(line -> line.split(" "))
        .forEach(names -> classes.put(names[0], "org.apache.kafka.tools." + names[1]));
    return classes;
  }

  /**
   * What a command line prints on both streams, and a last line with its exit code if that is not
   * 0. The broker's address is put in where the tool wants it.
   */
  List<String> run(String line, List<String> input) {
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(line);
    while (matcher.find()) {
      words.add(matcher.group(1) != null ? matcher.group(1) : matcher.group(2));
    }
    String tool = words.get(0);
    String main = CLASSES.get(tool);
    if (main == null) {
      throw new IllegalArgumentException("no tool is called " + tool);
    }
    words.set(0, main);
    address(tool, words);
    try {
      return call(words, input.isEmpty() ? "" : String.join("\n", input) + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException("the tools' process broke at: " + line, e);
    }
  }

  private void address(String tool, List<String> words) {
    switch (tool) {
      case "kafka-cluster" -> words.addAll(List.of(SERVER, bootstrapServers));
      // Those with sub-commands take the options of the cluster in front of them only.
      default -> words.addAll(1, List.of(SERVER, bootstrapServers));
    }
  }

  private List<String> call(List<String> words, String input) throws IOException {
    out.writeInt(words.size());
    for (String word : words) {
      out.writeUTF(word);
    }
    out.writeUTF(input);
    out.flush();
    Thread guard = new Thread(this::endIfSlow, "tools-guard");
    guard.setDaemon(true);
    guard.start();
    int code = in.readInt();
    byte[] text = in.readNBytes(in.readInt());
    guard.interrupt();
    List<String> lines = Normal.lines(new String(text, StandardCharsets.UTF_8), bootstrapServers);
    lines.removeIf(
        line ->
            line.startsWith("\tat ")
                || line.startsWith("\t... ")
                || line.startsWith("Caused by: "));
    if (code != 0) {
      lines.add("exit " + code);
    }
    return lines;
  }

  private void endIfSlow() {
    try {
      TimeUnit.SECONDS.sleep(LIMIT_SECONDS);
      process.destroyForcibly();
    } catch (InterruptedException answered) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
