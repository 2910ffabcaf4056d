package io.fencepost.testkit.history.disk;

import io.fencepost.testkit.history.Event;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes a history while it happens. Each event is handed to the operating system as one whole line
 * before the call returns, so what was written survives {@code kill -9}. What cannot be written
 * does not stop those who are watched: {@link #close} tells of it. Thread-safe.
 */
public final class HistoryWriter implements Consumer<Event>, Closeable {
  private final Path file;
  private final OutputStream out;
  private @Nullable IOException failure;

  private HistoryWriter(Path file, OutputStream out) {
    this.file = file;
    this.out = out;
  }

  /**
   * Begins a file; one that is there is written anew.
   *
   * @throws IOException if it cannot be written
   */
  public static HistoryWriter create(Path file) throws IOException {
    return new HistoryWriter(file, Files.newOutputStream(file));
  }

  /** Writes an event that the calling thread saw just now. */
  @Override
  public void accept(Event event) {
    write(event, Thread.currentThread().getName(), System.currentTimeMillis());
  }

  /** Writes an event, with who saw it and when, in milliseconds since the epoch. */
  public void write(Event event, String who, long atMs) {
    byte[] line = (HistoryLines.text(event, who, atMs) + '\n').getBytes(StandardCharsets.UTF_8);
    synchronized (this) {
      if (failure != null) {
        return;
      }
      try {
        out.write(line);
      } catch (IOException e) {
        failure = e;
      }
    }
  }

  /**
   * Ends the file.
   *
   * @throws IOException if something could not be written, now or before
   */
  @Override
  public synchronized void close() throws IOException {
    out.close();
    if (failure != null) {
      throw new IOException(
          "the history " + file + " ends early: " + failure.getMessage(), failure);
    }
  }
}
