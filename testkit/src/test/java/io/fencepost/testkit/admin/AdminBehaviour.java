package io.fencepost.testkit.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fencepost.testkit.main.ReferenceKafka;
import io.fencepost.testkit.tour.Normal;
import io.fencepost.testkit.tour.Tour;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link AdminTour} with several versions of kafka-clients, each compared with its file. */
abstract class AdminBehaviour {
  abstract Tour.Broker broker();

  abstract String bootstrapServers();

  @ParameterizedTest
  @ValueSource(strings = {"4.4.0", "3.9.1", "2.8.2"})
  void every_method_of_admin_answers_as_it_does_of_apache_kafka(String version) throws Exception {
    List<URL> classPath = classPath(version);
    assumeTrue(
        !classPath.isEmpty(),
        "kafka-clients " + version + " is not in reference-kafka/target: build that module");
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    try (URLClassLoader loader =
        new URLClassLoader(classPath.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Thread.currentThread().setContextClassLoader(loader);
      Method run =
          loader.loadClass(AdminTour.class.getName()).getMethod("run", String.class, String.class);
      @SuppressWarnings("unchecked") // it is what the method returns; only JDK classes cross
      List<List<String>> told = (List<List<String>>) run.invoke(null, bootstrapServers(), version);
      Tour.Outcome outcome = Tour.read("admin-" + version).compare(broker(), normal(told));
      assertThat(outcome.actual()).isEqualTo(outcome.expected());
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }

  private List<List<String>> normal(List<List<String>> told) {
    List<List<String>> normal = new ArrayList<>();
    for (List<String> step : told) {
      normal.add(Normal.lines(String.join("\n", step), bootstrapServers()));
    }
    return normal;
  }

  /** This version's jar, the libraries that all versions need, and our classes. */
  private static List<URL> classPath(String version) throws IOException {
    Path libraries = ReferenceKafka.libraries().orElse(null);
    List<URL> urls = new ArrayList<>();
    if (libraries == null) {
      return urls;
    }
    String name = "kafka-clients-" + version + ".jar";
    Path own = libraries.resolveSibling("clients").resolve(name);
    Path jar = Files.exists(own) ? own : libraries.resolve(name);
    if (!Files.exists(jar)) {
      return urls;
    }
    urls.add(jar.toUri().toURL());
    try (Stream<Path> files = Files.list(libraries)) {
      for (Path file : files.toList()) {
        if (file.getFileName().toString().matches("(slf4j-api|lz4-java|snappy-java|zstd-jni)-.*")) {
          urls.add(file.toUri().toURL());
        }
      }
    }
    urls.add(Path.of("target", "test-classes").toUri().toURL());
    return urls;
  }
}
