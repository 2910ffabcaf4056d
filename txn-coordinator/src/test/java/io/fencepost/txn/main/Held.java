package io.fencepost.txn.main;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What the system says this process holds. */
record Held(long threads, long files, long maps, long residentKb) {
  static Held now() {
    System.gc();
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"));
        Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
      return new Held(
          ManagementFactory.getThreadMXBean().getThreadCount(),
          files.count(),
          maps.filter(line -> line.contains("fencepost")).count(),
          readResidentKb());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long readResidentKb() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    return 0;
  }

  /** Threads end a moment after they are told to; more than that is a leak. */
  static Held settled(Held target) {
    List<Held> seen = new ArrayList<>();
    await()
        .atMost(Duration.ofSeconds(15))
        .pollInterval(Duration.ofMillis(300))
        .until(
            () -> {
              seen.add(Held.now());
              int count = seen.size();
              Held last = seen.get(count - 1);
              return target != null
                  ? (last.threads <= target.threads && last.files <= target.files) || count > 20
                  : count > 2 && last.threads == seen.get(count - 3).threads;
            });
    return seen.get(seen.size() - 1);
  }
}
