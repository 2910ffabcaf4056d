package io.fencepost.broker.replica;

import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.check.Finding;
import io.fencepost.broker.config.FlushPolicy;
import io.fencepost.broker.log.LogConfig;
import io.fencepost.broker.port.sim.SimClock;
import io.fencepost.broker.port.sim.SimDisk;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.port.sim.SimScheduler;
import io.fencepost.broker.producer.ProducedBatch;
import io.fencepost.broker.producer.Sequences;
import io.fencepost.broker.producer.TxnGuard;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** One partition on simulated ports, which can be stopped, killed and cut off from power. */
public final class ReplicaFixture {
  public static final TopicPartition ORDERS = new TopicPartition("orders", 0);
  public static final Uuid TOPIC_ID = new Uuid(1, 2);

  public final SimEntropy entropy;
  public final SimDisk disk;
  public final SimClock clock = new SimClock();
  public final SimScheduler scheduler;
  public PartitionConfig config;
  public Replicas replicas;
  public PartitionGate gate;

  public ReplicaFixture(FlushPolicy flush) {
    this(flush, 1);
  }

  public ReplicaFixture(FlushPolicy flush, long seed) {
    entropy = new SimEntropy(seed);
    disk = new SimDisk(entropy.named("disk"));
    scheduler = new SimScheduler(clock, entropy.named("scheduler"));
    config =
        PartitionConfig.defaults(flush)
            .withLog(LogConfig.defaults().withSegmentBytes(2000).withIndex(200, 1 << 20));
    open();
  }

  public void open() {
    replicas = new Replicas(disk, clock, scheduler);
    gate = replicas.open(ORDERS, TOPIC_ID, 0, config);
  }

  /** Returns whether the disk let everything be saved. */
  public boolean stop() {
    boolean isSaved = replicas.close(true).isEmpty();
    scheduler.clear();
    return isSaved;
  }

  public void kill() {
    disk.kill();
    scheduler.clear();
  }

  public void crash() {
    disk.crash();
    scheduler.clear();
  }

  public void stopAndOpen() {
    stop();
    open();
  }

  public void killAndOpen() {
    kill();
    open();
  }

  public void crashAndOpen() {
    crash();
    open();
  }

  /** What a check of the partition's files says now. */
  public List<Finding> check() {
    List<Finding> findings = new ArrayList<>();
    PartitionCheck.run(disk, ORDERS.toString(), TOPIC_ID, config.compacted(), findings::add);
    return findings;
  }

  public static ByteBuffer plain(int count) {
    BatchWriter writer = BatchWriter.at(0);
    return fill(writer, count);
  }

  public static ByteBuffer idempotent(long producerId, int epoch, int sequence, int count) {
    return fill(BatchWriter.at(0).producer(producerId, (short) epoch, sequence), count);
  }

  public static ByteBuffer transactional(long producerId, int epoch, int sequence, int count) {
    BatchWriter writer = BatchWriter.at(0).producer(producerId, (short) epoch, sequence);
    return fill(writer.transactional(), count);
  }

  private static ByteBuffer fill(BatchWriter writer, int count) {
    for (int i = 0; i < count; i++) {
      byte[] value = ("value " + i).getBytes(StandardCharsets.UTF_8);
      writer.add(SimClock.DEFAULT_START_MS, value, value);
    }
    return writer.build();
  }

  /** Results arrive in the list when they do. */
  public List<AppendResult> send(ByteBuffer records) {
    return send(records, AppendRequest.ACKS_ALL, null);
  }

  public List<AppendResult> send(ByteBuffer records, int acks, TxnGuard guard) {
    List<AppendResult> results = new ArrayList<>();
    gate.append(new AppendRequest(records, (short) acks, 30_000, guard), results::add).run();
    return results;
  }

  /** The first or a later batch of a transaction, with the guard it needs. */
  public List<AppendResult> sendInTransaction(long producerId, int epoch, int sequence, int count) {
    int last = Sequences.plus(sequence, count - 1);
    ProducedBatch batch = new ProducedBatch(producerId, (short) epoch, sequence, last, true);
    TxnGuard guard = gate.guardFor(batch, true);
    return send(transactional(producerId, epoch, sequence, count), AppendRequest.ACKS_ALL, guard);
  }

  public List<AppendResult> mark(long producerId, int epoch, boolean commit) {
    List<AppendResult> results = new ArrayList<>();
    MarkerRequest marker = new MarkerRequest(producerId, (short) epoch, commit, 0, 2);
    gate.appendMarker(marker, results::add).run();
    return results;
  }

  public FetchResult fetch(long offset, Isolation isolation) {
    return gate.fetch(new FetchRead(-1, offset, 1 << 20, true, isolation));
  }

  public void settle() {
    scheduler.runFor(1);
  }
}
