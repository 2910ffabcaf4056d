package io.fencepost.broker.main;

import io.fencepost.broker.disk.FileDisk;
import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.FrameService;
import io.fencepost.broker.testing.BrokerSteps;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * What a broker of this machine runs on.
 *
 * @param disks makes the disk of the broker's directory
 * @param frames stands between the network and the broker
 */
public record BrokerWorld(
    Function<Path, ? extends Disk> disks,
    Clock clock,
    BrokerSteps steps,
    UnaryOperator<FrameService> frames) {

  /** The machine as it is. */
  public static BrokerWorld real() {
    return on(FileDisk::new);
  }

  /** The machine as it is, but for its disks. */
  public static BrokerWorld on(Function<Path, ? extends Disk> disks) {
    return new BrokerWorld(disks, new SystemClock(), BrokerSteps.NONE, UnaryOperator.identity());
  }
}
