package io.fencepost.broker.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.port.DiskException;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileDiskTest {
  @TempDir Path root;

  @Test
  void a_file_grows_at_its_end_and_is_read_anywhere() {
    FileDisk disk = new FileDisk(root);
    try (AppendFile file = disk.open("orders-0/a.log")) {
      file.append(bytes("hello "));
      file.append(bytes("world"));
      assertThat(file.sizeBytes()).isEqualTo(11);
      ByteBuffer into = ByteBuffer.allocate(20);
      assertThat(file.read(into, 6)).isEqualTo(5);
      assertThat(into.position()).isEqualTo(5);
      file.write(bytes("W"), 6);
      assertThat(text(file.region(4, 5))).isEqualTo("o Wor");
      file.truncate(5);
      file.force();
      assertThat(text(file.region(0, 5))).isEqualTo("hello");
      assertThatThrownBy(() -> file.region(0, 6)).isInstanceOf(DiskException.class);
      assertThatThrownBy(() -> file.write(bytes("xx"), 4)).isInstanceOf(DiskException.class);
    }
    try (AppendFile again = disk.open("orders-0/a.log")) {
      assertThat(again.sizeBytes()).isEqualTo(5);
    }
  }

  @Test
  void a_region_is_sent_without_a_detour_and_outlives_the_name() throws IOException {
    FileDisk disk = new FileDisk(root);
    try (AppendFile file = disk.open("a.log")) {
      file.append(bytes("0123456789"));
      FileSlice slice = (FileSlice) file.region(2, 5);
      disk.delete("a.log");
      ByteArrayOutputStream sent = new ByteArrayOutputStream();
      slice.transferTo(Channels.newChannel(sent));
      assertThat(sent.toString(StandardCharsets.UTF_8)).isEqualTo("23456");
      assertThat(disk.exists("a.log")).isFalse();
    }
  }

  @Test
  void a_region_that_was_cut_off_fails_instead_of_sending_less() {
    FileDisk disk = new FileDisk(root);
    try (AppendFile file = disk.open("a.log")) {
      file.append(bytes("0123456789"));
      FileSlice slice = (FileSlice) file.region(2, 5);
      file.truncate(3);
      assertThatThrownBy(() -> slice.transferTo(Channels.newChannel(new ByteArrayOutputStream())))
          .isInstanceOf(EOFException.class);
      assertThatThrownBy(slice::toBuffer).isInstanceOf(DiskException.class);
    }
  }

  @Test
  void an_interrupted_thread_closes_the_file_for_nobody() {
    FileDisk disk = new FileDisk(root);
    try (AppendFile file = disk.open("a.log")) {
      Thread.currentThread().interrupt();
      file.append(bytes("abc"));
      assertThat(Thread.interrupted()).isTrue();
      file.append(bytes("def"));
      Thread.currentThread().interrupt();
      assertThat(text(file.region(0, 6))).isEqualTo("abcdef");
      file.force();
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void a_file_whose_name_was_given_to_another_one_is_never_opened_again_by_name() {
    FileDisk disk = new FileDisk(root);
    try (AppendFile old = disk.open("a.log");
        AppendFile other = disk.open("a.log.cleaned")) {
      old.append(bytes("old"));
      other.append(bytes("new"));
      disk.delete("a.log");
      disk.rename("a.log.cleaned", "a.log");
      assertThat(text(old.region(0, 3))).isEqualTo("old");
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> old.region(0, 3).toBuffer()).hasMessageContaining("replaced");
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void a_failed_append_leaves_the_size_and_its_leftovers_are_not_seen() throws IOException {
    FileDisk disk = new FileDisk(root);
    try (AppendFile file = disk.open("a.log")) {
      file.append(bytes("abc"));
      // As if a refused append could not even be cut off again.
      Files.write(root.resolve("a.log"), new byte[] {9, 9, 9}, StandardOpenOption.APPEND);
      assertThat(file.sizeBytes()).isEqualTo(3);
      assertThat(file.read(ByteBuffer.allocate(10), 0)).isEqualTo(3);
      file.append(bytes("de"));
      assertThat(text(file.region(0, 5))).isEqualTo("abcde");
    }
  }

  @Test
  void a_full_device_is_reported_with_the_file_and_what_to_do() throws IOException {
    Path full = Path.of("/dev/full");
    org.junit.jupiter.api.Assumptions.assumeTrue(Files.isWritable(full));
    Files.createSymbolicLink(root.resolve("a.log"), full);
    FileDisk disk = new FileDisk(root);
    try (AppendFile file = disk.open("a.log")) {
      ByteBuffer bytes = bytes("abc");
      assertThatThrownBy(() -> file.append(bytes))
          .isInstanceOf(DiskException.class)
          .hasMessageContaining("a.log")
          .hasMessageContaining("free some space");
      assertThat(bytes.remaining()).isEqualTo(3);
      assertThat(file.sizeBytes()).isZero();
    }
  }

  @Test
  void replacing_renaming_listing_and_deleting() {
    FileDisk disk = new FileDisk(root);
    disk.replace("t-0/epochs", "one".getBytes(StandardCharsets.UTF_8));
    disk.replace("t-0/epochs", "two".getBytes(StandardCharsets.UTF_8));
    assertThat(new String(disk.read("t-0/epochs"), StandardCharsets.UTF_8)).isEqualTo("two");
    disk.createDirectory("t-0/inner");
    assertThat(disk.list("t-0")).containsExactly("epochs", "inner");
    assertThat(disk.list("nowhere")).isEmpty();
    disk.rename("t-0", "t-1");
    assertThat(disk.exists("t-0")).isFalse();
    assertThatThrownBy(() -> disk.rename("t-0", "t-2")).isInstanceOf(DiskException.class);
    disk.createDirectory("t-3");
    assertThatThrownBy(() -> disk.rename("t-1", "t-3")).isInstanceOf(DiskException.class);
    disk.forceDirectory("t-1");
    disk.forceDirectory("");
    disk.delete("t-1");
    disk.delete("t-1");
    assertThat(disk.list("")).containsExactly("t-3");
    assertThat(disk.absolutePath("x/y")).isEqualTo(root.resolve("x/y").toString());
    assertThatThrownBy(() -> disk.read("../outside")).isInstanceOf(DiskException.class);
  }

  @Test
  void a_replacement_that_fails_half_way_leaves_the_old_content_and_nothing_else() {
    FileDisk disk = new FileDisk(root);
    disk.replace("t-0/epochs", "one".getBytes(StandardCharsets.UTF_8));
    assertThatThrownBy(
            () ->
                disk.replace(
                    "t-0/epochs",
                    sink -> {
                      sink.accept(ByteBuffer.allocate(10_000));
                      throw new DiskException("enough");
                    }))
        .hasMessage("enough");
    assertThat(disk.read("t-0/epochs")).asString(StandardCharsets.UTF_8).isEqualTo("one");
    assertThat(disk.list("t-0")).containsExactly("epochs");
  }

  @Test
  void what_a_crash_left_of_a_replacement_is_removed() throws IOException {
    FileDisk disk = new FileDisk(root);
    disk.replace("t-0/epochs", new byte[] {1});
    Files.write(root.resolve("t-0/epochs.tmp"), new byte[] {2});
    disk.removeUnfinished("t-0");
    assertThat(disk.list("t-0")).containsExactly("epochs");
    assertThat(disk.read("t-0/epochs")).containsExactly(1);
  }

  @Test
  void a_directory_has_one_owner_in_this_jvm() {
    DirectoryLock lock = DirectoryLock.acquire(root.resolve("data"));
    assertThatThrownBy(() -> DirectoryLock.acquire(root.resolve("data/../data")))
        .isInstanceOf(DiskException.class)
        .hasMessageContaining("data")
        .hasMessageContaining("in use by another broker in this JVM");
    lock.close();
    lock.close();
    DirectoryLock.acquire(root.resolve("data")).close();
  }

  @Test
  void a_directory_has_one_owner_among_processes() throws Exception {
    Path directory = root.resolve("data");
    Process other =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                LockHolder.class.getName(),
                directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      assertThat(other.getInputStream().read()).isEqualTo('L');
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> DirectoryLock.acquire(directory))
            .isInstanceOf(DiskException.class)
            .hasMessageContaining("another process (process " + other.pid() + ")");
      }
    } finally {
      other.destroyForcibly().waitFor();
    }
    DirectoryLock.acquire(directory).close();
  }

  /** The other process: takes the lock, says so, and waits for its end. */
  static final class LockHolder {
    private LockHolder() {}

    public static void main(String[] arguments) throws IOException {
      DirectoryLock lock = DirectoryLock.acquire(Path.of(arguments[0]));
      System.out.write('L');
      System.out.flush();
      if (System.in.read() < 0) {
        lock.close();
      }
    }
  }

  @Test
  void a_large_region_is_sent_from_file_to_file() throws IOException {
    FileDisk disk = new FileDisk(root);
    byte[] batch = new byte[100];
    try (AppendFile file = disk.open("copy.log");
        FileChannel target =
            FileChannel.open(
                root.resolve("out"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      for (int i = 0; i < 1000; i++) {
        file.append(ByteBuffer.wrap(batch));
      }
      ((FileSlice) file.region(100, 99_000)).transferTo(target);
    }
    assertThat(Files.size(root.resolve("out"))).isEqualTo(99_000);
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String text(Bytes bytes) {
    return StandardCharsets.UTF_8.decode(bytes.toBuffer()).toString();
  }
}
