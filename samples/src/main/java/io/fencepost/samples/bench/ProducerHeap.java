package io.fencepost.samples.bench;

import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.producer.ProducedBatch;
import io.fencepost.broker.producer.ProducerSnapshot;
import io.fencepost.broker.producer.ProducerStates;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** What a partition pays for idempotent producers that have fallen silent. */
final class ProducerHeap {
  /**
   * One measurement.
   *
   * @param bytesPerId of heap, after a full collection
   * @param write to make the snapshot and force it to disk
   * @param load to make the producers from the file
   * @param snapshotBytes its size
   */
  record Figures(double bytesPerId, Cost write, Cost load, double snapshotBytes) {}

  /** By the wall clock, and of the whole JVM's CPU. */
  record Cost(double wallMillis, double cpuMillis) {
    static Cost of(Runnable work) {
      Duration cpuBefore = cpu();
      long begin = System.nanoTime();
      work.run();
      double wallMillis = (System.nanoTime() - begin) / 1e6;
      return new Cost(wallMillis, cpu().minus(cpuBefore).toNanos() / 1e6);
    }

    private static Duration cpu() {
      return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    }
  }

  private static final int COLLECTIONS = 3;

  private static final String FILE = "snapshot";

  private final int producers;
  private final Disk disk;

  /**
   * @param disk where snapshots are written
   */
  ProducerHeap(int producers, Disk disk) {
    this.producers = producers;
    this.disk = disk;
  }

  /**
   * Measures as often as told, once more before for the JIT's sake.
   *
   * @param batches that each producer has written, of which the last five are remembered
   */
  List<Figures> run(int batches, int passes, Consumer<String> progress) {
    List<Figures> results = new ArrayList<>();
    measure(batches);
    for (int pass = 0; pass < passes; pass++) {
      progress.accept("heap, %d batches a producer, %d of %d".formatted(batches, pass + 1, passes));
      results.add(measure(batches));
    }
    return results;
  }

  private Figures measure(int batches) {
    long before = usedHeap();
    ProducerStates states = filled(batches);
    double bytesPerId = (double) (usedHeap() - before) / states.size();
    long offset = (long) batches * producers;
    Cost write =
        Cost.of(() -> disk.replace(FILE, sink -> ProducerSnapshot.write(states, offset, sink)));
    try (AppendFile file = disk.open(FILE)) {
      Cost load = Cost.of(() -> load(file, offset));
      return new Figures(bytesPerId, write, load, file.sizeBytes());
    }
  }

  private void load(AppendFile file, long offset) {
    ProducerStates read = ProducerSnapshot.read(file, offset);
    if (read == null || read.size() != producers) {
      throw new IllegalStateException("the snapshot did not bring back all producers");
    }
  }

  private ProducerStates filled(int batches) {
    ProducerStates states = new ProducerStates();
    long offset = 0;
    for (int sequence = 0; sequence < batches; sequence++) {
      for (long id = 0; id < producers; id++) {
        states.apply(new ProducedBatch(id, (short) 0, sequence, sequence, false), offset++, 1, 1);
      }
    }
    return states;
  }

  private static long usedHeap() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
