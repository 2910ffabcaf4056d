package io.fencepost.testkit.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fencepost.testkit.main.ReferenceKafka;
import io.fencepost.txn.main.FencepostServer;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.FeatureUpdate.UpgradeType;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Clients from 2.8 to 4.4 with transactions, at each level of transaction.version. The client is
 * the one that chooses the protocol: those before 4.0 know the older one only.
 */
class OldClientsIT {
  private static @Nullable FencepostServer server;

  @BeforeAll
  static void start() {
    assumeTrue(
        ReferenceKafka.isAvailable(), "Apache Kafka's jars are not in reference-kafka/target");
    server = FencepostServer.start();
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  private static String bootstrap() {
    if (server == null) {
      throw new IllegalStateException("not started");
    }
    return server.bootstrapServers();
  }

  private static Path target() {
    String root = System.getProperty("fencepost.root", System.getProperty("user.dir"));
    return Path.of(root, "reference-kafka", "target");
  }

  private static List<Path> clients(Path directory) throws IOException {
    try (Stream<Path> files =
        Files.isDirectory(directory) ? Files.list(directory) : Stream.empty()) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("kafka-clients-"))
          .sorted()
          .toList();
    }
  }

  /** The older ones, and the one of this build. */
  static List<Path> versions() throws IOException {
    List<Path> jars = new ArrayList<>(clients(target().resolve("clients")));
    jars.addAll(clients(target().resolve("lib")));
    assumeTrue(jars.size() >= 2, "no older clients in reference-kafka/target/clients");
    return jars;
  }

  @ParameterizedTest
  @MethodSource("versions")
  void commit_abort_offsets_fencing_and_reading(Path jar) throws Exception {
    for (int level : new int[] {2, 1, 0}) {
      setLevel(level);
      String name = jar.getFileName().toString().replace(".jar", "") + "-tv" + level;
      assertThat(story(jar, name))
          .as(name)
          .containsExactly("offset 3", "fenced", "of i1", "of i3", "of the successor");
    }
  }

  private static void setLevel(int level) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap()))) {
      if (level == 2) {
        update(admin, level, UpgradeType.UPGRADE);
      } else {
        update(admin, level, UpgradeType.SAFE_DOWNGRADE);
      }
      Map<String, ?> finalized =
          admin.describeFeatures().featureMetadata().get().finalizedFeatures();
      assertThat(finalized.containsKey("transaction.version")).isEqualTo(level > 0);
    }
  }

  private static void update(Admin admin, int level, UpgradeType type) throws Exception {
    admin
        .updateFeatures(
            Map.of("transaction.version", new FeatureUpdate((short) level, type)),
            new UpdateFeaturesOptions())
        .all()
        .get();
  }

  /** Runs the story with nothing but the JDK and this client. */
  private static List<String> story(Path jar, String name) throws Exception {
    List<URL> urls = new ArrayList<>();
    urls.add(ClientStory.class.getProtectionDomain().getCodeSource().getLocation());
    urls.add(jar.toUri().toURL());
    try (Stream<Path> files = Files.list(target().resolve("lib"))) {
      for (Path file : files.sorted().toList()) {
        if (file.getFileName().toString().matches("(slf4j|lz4|snappy|zstd|jackson).*")) {
          urls.add(file.toUri().toURL());
        }
      }
    }
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (URLClassLoader loader =
        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      thread.setContextClassLoader(loader);
      @SuppressWarnings("unchecked")
      BiFunction<String, String, List<String>> story =
          (BiFunction<String, String, List<String>>)
              loader.loadClass(ClientStory.class.getName()).getDeclaredConstructor().newInstance();
      return story.apply(bootstrap(), name);
    } finally {
      thread.setContextClassLoader(before);
    }
  }
}
