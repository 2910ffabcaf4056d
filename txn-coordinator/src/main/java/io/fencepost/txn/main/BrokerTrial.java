package io.fencepost.txn.main;

import io.fencepost.broker.disk.FaultyDisk;
import io.fencepost.broker.main.BrokerWorld;
import io.fencepost.broker.main.ShiftedClock;
import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.FrameService;
import io.fencepost.broker.testing.BrokerSteps;
import io.fencepost.broker.wire.TopicPartition;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One broker's world as a test may break it, from inside and while it runs; outlives the broker's
 * lives. Given to a broker by {@link StartForTesting}. Thread-safe.
 */
public final class BrokerTrial {
  private final BrokerSteps steps;
  private final ShiftedClock clock = new ShiftedClock();
  private volatile @Nullable FaultyDisk disk;

  /** Guarded by this, as those who stand still wait here. */
  private boolean paused;

  /** Of the life that is going on, or ended last. */
  private volatile Life life = new Life();

  /** One life of the broker: threads of an earlier one are never taken for those of this one. */
  private final class Life implements BrokerSteps {
    private volatile boolean over;

    @Override
    public void pass(Step step, TopicPartition partition) {
      goOn();
      if (!over) {
        steps.pass(step, partition);
        goOn();
      }
      if (over) {
        throw new DiskException("the broker was killed at " + step + " of " + partition);
      }
    }

    private void goOn() {
      awaitUnpaused(this);
    }
  }

  /**
   * @param steps is asked before and after each step of the broker
   */
  public BrokerTrial(BrokerSteps steps) {
    this.steps = steps;
  }

  /** The disk has no room until {@link #freeDisk}. */
  public void fillDisk() {
    requireDisk().fill();
  }

  /** The disk has room again. */
  public void freeDisk() {
    requireDisk().free();
  }

  /** The next force of the disk fails. */
  public void failNextForce() {
    requireDisk().failNextForce();
  }

  private FaultyDisk requireDisk() {
    FaultyDisk own = disk;
    if (own == null) {
      throw new IllegalStateException("No broker was started with this trial yet");
    }
    return own;
  }

  /** Sets the broker's wall clock forward, or back if that is below zero. */
  public void jumpClock(Duration by) {
    clock.jump(by);
  }

  /** The broker answers nobody and does no step until {@link #resume}. */
  public synchronized void pause() {
    paused = true;
  }

  /** The broker goes on where it stood. */
  public synchronized void resume() {
    paused = false;
    notifyAll();
  }

  /**
   * From now on nobody hears of the broker, and its disk takes nothing: what is left is to {@link
   * FencepostCluster#kill} it, which its own threads cannot do. For the midst of a step.
   */
  public void strikeDead() {
    life.over = true;
    resume();
  }

  private synchronized void awaitUnpaused(Life mine) {
    while (paused && !mine.over) {
      try {
        wait();
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /** For the disk of all lives. */
  Disk disk(Disk real) {
    FaultyDisk faulty = new FaultyDisk(real);
    disk = faulty;
    return faulty;
  }

  /** For the next life, whose disks are those above. */
  BrokerWorld world(Function<Path, ? extends Disk> disks) {
    Life next = new Life();
    life = next;
    return new BrokerWorld(disks, clock, next, service -> new Frames(service, next));
  }

  /** Holds requests back while the broker stands still, and answers nothing once it is dead. */
  private final class Frames implements FrameService {
    private final FrameService service;
    private final Life mine;

    Frames(FrameService service, Life mine) {
      this.service = service;
      this.mine = mine;
    }

    @Override
    public void serve(ByteBuffer frame, Peer peer, Answer answer) {
      awaitUnpaused(mine);
      service.serve(frame, peer, new LateAnswer(answer, mine));
    }
  }

  private final class LateAnswer implements FrameService.Answer {
    private final FrameService.Answer answer;
    private final Life mine;

    LateAnswer(FrameService.Answer answer, Life mine) {
      this.answer = answer;
      this.mine = mine;
    }

    @Override
    public boolean claim(long sizeBytes) {
      return answer.claim(sizeBytes);
    }

    @Override
    public void onAbandoned(Runnable action) {
      answer.onAbandoned(action);
    }

    @Override
    public void send(List<Bytes> parts) {
      awaitUnpaused(mine);
      if (mine.over) {
        answer.close("the broker was killed");
      } else {
        answer.send(parts);
      }
    }

    @Override
    public void sendNothing() {
      answer.sendNothing();
    }

    @Override
    public void close(String reason) {
      answer.close(reason);
    }
  }
}
