package io.fencepost.broker.producer;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.sim.SimDisk;
import io.fencepost.broker.port.sim.SimEntropy;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/** Snapshots as arrays, as tests like to damage them. */
final class SnapshotBytes {
  private static final int PIECE_BYTES_MAX = 64 * 1024;

  private SnapshotBytes() {}

  static byte[] write(ProducerStates states, long offset) {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    ProducerSnapshot.write(
        states,
        offset,
        piece -> {
          assertThat(piece.remaining()).isBetween(1, PIECE_BYTES_MAX);
          while (piece.hasRemaining()) {
            whole.write(piece.get());
          }
        });
    return whole.toByteArray();
  }

  static @Nullable ProducerStates read(byte[] bytes, long offset) {
    SimDisk disk = new SimDisk(new SimEntropy(1));
    disk.replace("snapshot", bytes);
    try (AppendFile file = disk.open("snapshot")) {
      return ProducerSnapshot.read(file, offset);
    }
  }
}
