package io.fencepost.samples.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Who is killed and started again in {@link RecoveryRace}. */
enum RecoveryEntry {
  FENCEPOST("Fencepost job", RecoveryApp.class, ""),
  TRANSACTIONAL_STATIC(
      "Kafka Streams, transactional stores, static members",
      RecoveryStreamsApp.class,
      "enable.transactional.statestores=true group.instance.id=bench"),
  TRANSACTIONAL(
      "Kafka Streams, transactional stores",
      RecoveryStreamsApp.class,
      "enable.transactional.statestores=true"),
  PLAIN("Kafka Streams", RecoveryStreamsApp.class, "");

  private final String title;
  private final Class<?> main;
  private final String settings;

  RecoveryEntry(String title, Class<?> main, String settings) {
    this.title = title;
    this.main = main;
    this.settings = settings;
  }

  String title() {
    return title;
  }

  /** Where it writes to. */
  String output() {
    return "bench-sizes-" + application();
  }

  private String application() {
    return "recovery-" + name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Launches it.
   *
   * @param records after which it says that it is done
   */
  Process launch(CleanUp cleanUp, Path rivalJars, String bootstrap, Path directory, long records)
      throws IOException {
    String ours = System.getProperty("java.class.path");
    String classPath = this == FENCEPOST ? ours : rivalJars.resolve("*") + ":" + ours;
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classPath,
                main.getName(),
                bootstrap,
                directory.resolve("state").toString(),
                String.valueOf(records),
                application(),
                output()));
    if (!settings.isEmpty()) {
      command.addAll(List.of(settings.split(" ", -1)));
    }
    return cleanUp.launch(
        new ProcessBuilder(command)
            .redirectError(
                ProcessBuilder.Redirect.appendTo(directory.resolve("job.log").toFile())));
  }
}
