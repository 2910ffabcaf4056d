package io.fencepost.txn.shard;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.producer.TxnGuard;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One internal partition with a copy on each of several brokers, under virtual time. What the
 * leader appends goes to all copies, is committed, and the followers hear of it, in steps of the
 * scheduler; unless the partition is frozen.
 */
public final class SimPartition {
  private static final int HEADER_EPOCH = 12;

  private final Scheduler scheduler;
  private final List<Copy> copies = new ArrayList<>();
  private final List<Waiting> waiting = new ArrayList<>();
  private boolean isFrozen;
  private int epoch;
  private int leader = -1;

  private record Waiting(Term term, long base, long end, ShardLog.Appended done) {}

  public SimPartition(Scheduler scheduler, int brokers) {
    this.scheduler = scheduler;
    for (int i = 0; i < brokers; i++) {
      copies.add(new Copy());
    }
  }

  public Copy at(int broker) {
    return copies.get(broker);
  }

  public int leader() {
    return leader;
  }

  /** Nothing is replicated nor committed from now on. */
  public void freeze() {
    isFrozen = true;
  }

  /** Goes on. */
  public void flow() {
    isFrozen = false;
    scheduler.run(this::replicate);
  }

  /** A new term. Who is elected keeps its log, the others are cut to it when they follow. */
  public void elect(int broker) {
    epoch++;
    List<Waiting> lost = List.copyOf(waiting);
    waiting.clear();
    copies.forEach(copy -> copy.term = null);
    leader = broker;
    Copy elected = copies.get(broker);
    elected.term = new Term(elected, epoch, elected.end);
    lost.forEach(each -> scheduler.run(() -> each.done.done(WireError.NOT_LEADER_OR_FOLLOWER, -1)));
    scheduler.run(this::replicate);
  }

  /** The leader's term is over; appends under way hear of it first, as in a real partition. */
  public void resign() {
    List<Waiting> lost = List.copyOf(waiting);
    waiting.clear();
    lost.forEach(each -> each.done.done(WireError.NOT_LEADER_OR_FOLLOWER, -1));
  }

  /** Appends under way are answered as not committed in time; they stay in the log. */
  public void timeOut() {
    List<Waiting> late = List.copyOf(waiting);
    waiting.clear();
    late.forEach(each -> scheduler.run(() -> each.done.done(WireError.REQUEST_TIMED_OUT, -1)));
  }

  private void replicate() {
    if (isFrozen || leader < 0) {
      return;
    }
    Copy from = copies.get(leader);
    copies.forEach(copy -> copy.follow(from));
    move(from, from.end);
    List<Waiting> done = List.copyOf(waiting);
    waiting.removeAll(done);
    done.forEach(each -> each.done.done(WireError.NONE, each.base));
    scheduler.run(
        () -> {
          for (Copy copy : copies) {
            if (copy != from && !isFrozen) {
              move(copy, Math.min(from.highWatermark, copy.end));
            }
          }
        });
  }

  private static void move(Copy copy, long highWatermark) {
    if (copy.highWatermark != highWatermark) {
      copy.highWatermark = highWatermark;
      copy.listener.run();
    }
  }

  /** The copy of one broker, and what its coordinators see of the topic. */
  public static final class Copy implements CommittedLog, ShardLogs {
    private final List<ByteBuffer> batches = new ArrayList<>();
    private Runnable listener = () -> {};
    private @Nullable Term term;
    private long end;
    private long highWatermark;

    private void follow(Copy from) {
      int common = 0;
      while (common < Math.min(batches.size(), from.batches.size())
          && batches.get(common).equals(from.batches.get(common))) {
        common++;
      }
      while (batches.size() > common) {
        batches.remove(batches.size() - 1);
      }
      batches.addAll(from.batches.subList(common, from.batches.size()));
      end = from.end;
      highWatermark = Math.min(highWatermark, end);
    }

    /** A restart: where the high watermark was is not known any more. */
    public void forgetHighWatermark() {
      highWatermark = 0;
    }

    /** The disk lost the end of the log. */
    public void lose(int count) {
      for (int i = 0; i < count && !batches.isEmpty(); i++) {
        batches.remove(batches.size() - 1);
      }
      end = batches.isEmpty() ? 0 : view(batches.get(batches.size() - 1)).nextOffset();
      highWatermark = Math.min(highWatermark, end);
    }

    /** All bytes. */
    public ByteBuffer bytes() {
      ByteBuffer out = ByteBuffer.allocate(batches.stream().mapToInt(ByteBuffer::remaining).sum());
      batches.forEach(batch -> out.put(batch.duplicate()));
      return out.flip();
    }

    private static BatchView view(ByteBuffer batch) {
      return new BatchView().wrap(batch, 0);
    }

    @Override
    public Uuid topicId() {
      return new Uuid(1, 1);
    }

    @Override
    public long startOffset() {
      return 0;
    }

    @Override
    public long highWatermark() {
      return highWatermark;
    }

    @Override
    public long endOffset() {
      return end;
    }

    @Override
    public boolean holds(int leaderEpoch, long nextOffset) {
      return batches.stream()
          .anyMatch(
              batch ->
                  view(batch).nextOffset() == nextOffset
                      && view(batch).leaderEpoch() == leaderEpoch);
    }

    @Override
    public ByteBuffer read(long fromOffset, int maxBytes) {
      List<ByteBuffer> found = new ArrayList<>();
      int sizeBytes = 0;
      for (ByteBuffer batch : batches) {
        BatchView view = view(batch);
        if (view.nextOffset() > fromOffset && view.nextOffset() <= highWatermark) {
          if (!found.isEmpty() && sizeBytes + view.sizeBytes() > maxBytes) {
            break;
          }
          sizeBytes += view.sizeBytes();
          found.add(batch.duplicate());
        }
      }
      ByteBuffer out = ByteBuffer.allocate(sizeBytes);
      found.forEach(out::put);
      return out.flip();
    }

    @Override
    public void onCommit(Runnable next) {
      listener = next;
    }

    @Override
    public void boundCompaction(LongSupplier bound) {}

    @Override
    public int partitionCount(String topic) {
      return 1;
    }

    @Override
    public @Nullable ShardLog find(TopicPartition topicPartition) {
      return term;
    }

    @Override
    public CommittedLog copy(TopicPartition topicPartition) {
      return this;
    }
  }

  private final class Term implements ShardLog {
    private final Copy copy;
    private final int leaderEpoch;
    private final long start;

    Term(Copy copy, int leaderEpoch, long start) {
      this.copy = copy;
      this.leaderEpoch = leaderEpoch;
      this.start = start;
    }

    @Override
    public CommittedLog committed() {
      return copy;
    }

    @Override
    public int leaderEpoch() {
      return leaderEpoch;
    }

    @Override
    public long termStart() {
      return start;
    }

    @Override
    public Runnable append(ByteBuffer batch, @Nullable TxnGuard guard, Appended done) {
      if (copy.term != this) {
        return () -> done.done(WireError.NOT_LEADER_OR_FOLLOWER, -1);
      }
      ByteBuffer own = ByteBuffer.allocate(batch.remaining()).put(batch.duplicate()).flip();
      BatchView view = Copy.view(own);
      view.assign(copy.end, leaderEpoch);
      own.putInt(HEADER_EPOCH, leaderEpoch);
      copy.batches.add(own);
      long base = copy.end;
      copy.end = view.nextOffset();
      waiting.add(new Waiting(this, base, copy.end, done));
      return () -> scheduler.run(SimPartition.this::replicate);
    }

    @Override
    public @Nullable TxnGuard guardFor(long producerId, short producerEpoch) {
      return null;
    }

    @Override
    public void dropGuard(TxnGuard guard) {}
  }
}
