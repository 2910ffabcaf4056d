package io.fencepost.testkit.sink;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL of its own, from the programs that Debian puts into {@code /usr/lib/postgresql}.
 * They refuse root, so root runs them as the user {@code postgres}.
 */
final class Postgres implements TestDatabase {
  private static final Path PROGRAMS = Path.of("/usr/lib/postgresql");

  private final Path programs;
  private final Path directory;
  private final int port;

  private Postgres(Path programs) throws Exception {
    this.programs = programs;
    this.directory = Files.createTempDirectory("fencepost-postgres");
    try (ServerSocket free = new ServerSocket(0)) {
      this.port = free.getLocalPort();
    }
    if (isRoot()) {
      run(List.of("chown", "postgres", directory.toString()));
    }
    program("initdb", "-D", data(), "-U", "test", "-A", "trust", "-E", "UTF8", "--no-sync");
  }

  /** A new one; null where PostgreSQL is not installed. */
  static @Nullable Postgres create() throws Exception {
    Path programs = programs();
    return programs == null ? null : new Postgres(programs);
  }

  private static @Nullable Path programs() throws IOException {
    if (!Files.isDirectory(PROGRAMS)) {
      return null;
    }
    try (Stream<Path> versions = Files.list(PROGRAMS)) {
      return versions
          .map(version -> version.resolve("bin"))
          .filter(bin -> Files.isExecutable(bin.resolve("initdb")))
          .max(Comparator.comparing(Path::toString))
          .orElse(null);
    }
  }

  private static boolean isRoot() {
    return System.getProperty("user.name").equals("root");
  }

  private String data() {
    return directory.resolve("data").toString();
  }

  @Override
  public String url() {
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=test&connectTimeout=5";
  }

  @Override
  public void start() throws Exception {
    String options = "-p " + port + " -c listen_addresses=127.0.0.1 -k " + directory;
    String log = directory.resolve("log").toString();
    program("pg_ctl", "start", "-w", "-D", data(), "-l", log, "-o", options);
  }

  @Override
  public void stop() throws Exception {
    program("pg_ctl", "stop", "-w", "-D", data(), "-m", "immediate");
  }

  @Override
  public void delete() throws Exception {
    try {
      stop();
    } finally {
      run(List.of("rm", "-rf", directory.toString()));
    }
  }

  private void program(String name, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    if (isRoot()) {
      command.addAll(List.of("runuser", "-u", "postgres", "--"));
    }
    command.add(programs.resolve(name).toString());
    command.addAll(List.of(arguments));
    run(command);
  }

  private void run(List<String> command) throws Exception {
    Path output = Files.createTempFile("fencepost-postgres", ".out");
    Process process =
        new ProcessBuilder(command)
            .directory(Path.of("/").toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    boolean hasEnded = process.waitFor(90, TimeUnit.SECONDS);
    String said = Files.readString(output);
    Files.delete(output);
    if (!hasEnded || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new IllegalStateException(String.join(" ", command) + " failed: " + said);
    }
  }
}
