package io.fencepost.testkit.main;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Another JVM with the class path of this one, which starts fast and is not meant to last. */
public final class JavaProcess {
  private JavaProcess() {}

  /** Not started yet. */
  public static ProcessBuilder of(Class<?> main, Object... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return new ProcessBuilder(command);
  }
}
