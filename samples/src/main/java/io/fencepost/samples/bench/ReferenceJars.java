package io.fencepost.samples.bench;

import io.fencepost.samples.client.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where the build puts Apache Kafka's jars. */
final class ReferenceJars {
  private ReferenceJars() {}

  static Path find(Path root) {
    Path jars = root.resolve("reference-kafka").resolve("target").resolve("lib");
    if (!Files.isDirectory(jars)) {
      throw new UsageException(
          "Apache Kafka's jars are not in "
              + jars
              + "; fetch them with: ./mvnw -q -pl reference-kafka process-resources");
    }
    return jars;
  }
}
