package io.fencepost.samples.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A payment-dedup job as a program of its own; all take the arguments of {@link JobApp}. */
enum JobProgram {
  FENCEPOST("Fencepost job", JobApp.class),
  HAND_WRITTEN("by hand on kafka-clients", HandApp.class),
  KAFKA_STREAMS("Kafka Streams 4.4.0", StreamsApp.class);

  private final String title;
  private final Class<?> main;

  JobProgram(String title, Class<?> main) {
    this.title = title;
    this.main = main;
  }

  String title() {
    return title;
  }

  /**
   * Launches it.
   *
   * @param rivalJars where the jars of Apache Kafka are; only its own program needs them
   * @param run names its application and its outputs
   */
  Process launch(
      CleanUp cleanUp, Path rivalJars, String bootstrap, Path directory, int payments, String run)
      throws IOException {
    String ours = System.getProperty("java.class.path");
    String classPath = this == KAFKA_STREAMS ? rivalJars.resolve("*") + ":" + ours : ours;
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            classPath,
            main.getName(),
            bootstrap,
            directory.resolve("state").toString(),
            String.valueOf(payments),
            run);
    return cleanUp.launch(
        new ProcessBuilder(command).redirectError(directory.resolve("job.log").toFile()));
  }
}
