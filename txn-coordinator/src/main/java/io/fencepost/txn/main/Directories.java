package io.fencepost.txn.main;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Directories that go with who made them. */
final class Directories {
  private static final Logger LOG = LoggerFactory.getLogger(Directories.class);

  private Directories() {}

  static Path temporary() {
    try {
      return Files.createTempDirectory("fencepost-");
    } catch (IOException e) {
      throw new UncheckedIOException(
          "No temporary directory can be made; name one with dir(path)", e);
    }
  }

  static void delete(Path directory) {
    try (Stream<Path> found = Files.walk(directory)) {
      List<Path> deepestFirst = new ArrayList<>(found.toList());
      for (int i = deepestFirst.size() - 1; i >= 0; i--) {
        Files.deleteIfExists(deepestFirst.get(i));
      }
    } catch (IOException | UncheckedIOException e) {
      LOG.warn("Temporary directory {} is left behind: {}", directory, e.getMessage());
    }
  }
}
