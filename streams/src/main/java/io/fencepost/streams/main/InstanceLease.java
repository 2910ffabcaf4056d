package io.fencepost.streams.main;

import io.fencepost.streams.JobStartException;
import io.fencepost.streams.rocks.DirectoryLock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The instance id of a running job, and the lock that keeps it from being used twice on this
 * machine.
 *
 * <p>Configured ({@code instance.id}): that one; a second instance with it and the same state
 * directory is refused. Else: the first free of the files {@code instance-0.lock}, {@code
 * instance-1.lock}, … in the job's state directory, which holds an id drawn once at random. So an
 * instance that restarts on its state directory gets its ids back and fences what it left behind;
 * two machines never draw the same; and where the directory is lost with the container, zombies are
 * still fenced by the group's generation and end by transaction.timeout.ms.
 */
final class InstanceLease implements AutoCloseable {
  private static final int MOST_INSTANCES = 1_000;

  private final String id;
  private final DirectoryLock lock;

  private InstanceLease(String id, DirectoryLock lock) {
    this.id = id;
    this.lock = lock;
  }

  static InstanceLease take(Path jobDirectory, @Nullable String configured) {
    try {
      return configured == null ? firstFree(jobDirectory) : named(jobDirectory, configured);
    } catch (IOException e) {
      throw new JobStartException(
          "state directory " + jobDirectory + " cannot be used (setting state.dir): " + e, e);
    }
  }

  private static InstanceLease named(Path jobDirectory, String id) throws IOException {
    Path file = jobDirectory.resolve("instance-id-" + id + ".lock");
    DirectoryLock lock = DirectoryLock.tryLock(file);
    if (lock == null) {
      throw new JobStartException(
          "another instance of this job runs with instance.id=" + id + " (" + file + " is locked)");
    }
    return new InstanceLease(id, lock);
  }

  private static InstanceLease firstFree(Path jobDirectory) throws IOException {
    for (int i = 0; i < MOST_INSTANCES; i++) {
      DirectoryLock lock = DirectoryLock.tryLock(jobDirectory.resolve("instance-" + i + ".lock"));
      if (lock != null) {
        return new InstanceLease(readOrDraw(lock.channel()), lock);
      }
    }
    throw new JobStartException("more than " + MOST_INSTANCES + " instances in " + jobDirectory);
  }

  private static String readOrDraw(FileChannel channel) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(64);
    channel.read(buffer, 0);
    String stored = StandardCharsets.UTF_8.decode(buffer.flip()).toString().trim();
    if (!stored.isEmpty()) {
      return stored;
    }
    String drawn = UUID.randomUUID().toString().substring(0, 13);
    channel.write(ByteBuffer.wrap(drawn.getBytes(StandardCharsets.UTF_8)), 0);
    channel.force(true);
    return drawn;
  }

  String id() {
    return id;
  }

  @Override
  public void close() {
    lock.close();
  }
}
