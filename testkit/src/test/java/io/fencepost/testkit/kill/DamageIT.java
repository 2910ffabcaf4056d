package io.fencepost.testkit.kill;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.port.DiskException;
import io.fencepost.testkit.kill.ServerFiles.Damage;
import io.fencepost.testkit.kill.ServerFiles.End;
import io.fencepost.txn.main.FencepostServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every kind of file in the directory is damaged between two runs. The next start repairs it or
 * refuses with a sentence; no acknowledged record is missing without a sign. A random part of all
 * trials; for all of them: {@code -Dfencepost.damage.seconds=600}.
 */
class DamageIT {
  private static final int DEFAULT_SECONDS = 10;

  private final long seed = Long.getLong("fencepost.seed", System.nanoTime());
  private final int seconds = Integer.getInteger("fencepost.damage.seconds", DEFAULT_SECONDS);
  private final SplittableRandom random = new SplittableRandom(seed);

  @TempDir Path temporary;
  private ServerFiles server;

  @BeforeEach
  void prepare() {
    server = new ServerFiles(temporary, random);
  }

  /** One thing to try. */
  private record Trial(Path intact, Path file, End end, Damage damage) {
    @Override
    public String toString() {
      return "%s after %s: %s".formatted(intact.relativize(file), end, damage);
    }
  }

  @Test
  void damage_is_repaired_or_refused_and_never_loses_a_record_in_silence() throws Exception {
    List<Trial> trials = trials();
    List<String> faults = new ArrayList<>();
    TreeMap<String, Integer> results = new TreeMap<>();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (!trials.isEmpty() && System.nanoTime() < end) {
      Trial trial = trials.remove(random.nextInt(trials.size()));
      Path copy = server.copy(trial.intact);
      if (server.damage(copy.resolve(trial.intact.relativize(trial.file)), trial.damage)) {
        String result = run(copy, false);
        results.merge(result.split(":", 2)[0], 1, Integer::sum);
        if (result.startsWith("FAULT")) {
          faults.add(trial + " -> " + result);
        }
      }
      ServerFiles.delete(copy);
    }
    assertThat(faults).as("seed 0x%x, %s", seed, results).isEmpty();
    assertThat(results).as("seed 0x%x", seed).isNotEmpty();
  }

  private List<Trial> trials() throws Exception {
    List<Trial> trials = new ArrayList<>();
    for (End end : End.values()) {
      Path intact = server.write(end);
      for (Path file : ServerFiles.files(intact)) {
        // After a kill the log's tail looks the same whether it was torn or cut by somebody.
        if (end == End.STOPPED || !file.toString().endsWith(".log")) {
          for (Damage damage : Damage.values()) {
            trials.add(new Trial(intact, file, end, damage));
          }
        }
      }
    }
    return trials;
  }

  /** Damage in rows that were met while serving is repaired by one more restart. */
  private String run(Path dir, boolean restarted) {
    Set<String> wanted = new TreeSet<>();
    for (int i = 0; i < ServerFiles.COMMITTED; i++) {
      wanted.add("v" + i);
    }
    try (FencepostServer started = ServerFiles.start(dir)) {
      Map<String, Object> config = new HashMap<>();
      config.put("bootstrap.servers", started.bootstrapServers());
      config.put("group.id", ServerFiles.GROUP);
      config.put("isolation.level", "read_committed");
      config.put("default.api.timeout.ms", 5_000);
      try (KafkaConsumer<String, String> consumer =
          new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
        OffsetAndMetadata offset =
            consumer.committed(Set.of(ServerFiles.PARTITION)).get(ServerFiles.PARTITION);
        consumer.assign(List.of(ServerFiles.PARTITION));
        consumer.seekToBeginning(List.of(ServerFiles.PARTITION));
        long end = consumer.endOffsets(List.of(ServerFiles.PARTITION)).get(ServerFiles.PARTITION);
        while (consumer.position(ServerFiles.PARTITION) < end) {
          for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
            if (!wanted.remove(record.value())) {
              return "FAULT: read " + record.value();
            }
          }
        }
        boolean hasAside = hasAside(dir);
        if (!wanted.isEmpty()) {
          return (hasAside ? "set aside" : "FAULT") + ": missing " + wanted;
        }
        if (offset == null || offset.offset() != ServerFiles.COMMITTED - 1) {
          return (hasAside ? "set aside" : "FAULT") + ": committed offset " + offset;
        }
        return "repaired";
      }
    } catch (DiskException refused) {
      return refused.getMessage().length() > 20 ? "refused" : "FAULT: " + refused;
    } catch (TimeoutException stuck) {
      return restarted ? "FAULT: " + stuck : run(dir, true);
    } catch (KafkaException corrupt) {
      // A record whose checksum is wrong: the client stops there and says so.
      return "client saw it";
    } catch (RuntimeException | Error broken) {
      return "FAULT: " + broken + " at " + broken.getStackTrace()[0];
    }
  }

  /** Whether something was moved out of the way, which somebody will find. */
  private static boolean hasAside(Path dir) {
    try (Stream<Path> found = Files.walk(dir, 2)) {
      return found
          .map(path -> path.getFileName().toString())
          .anyMatch(name -> name.startsWith("stray-") || name.contains(".damaged"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
