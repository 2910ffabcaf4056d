package io.fencepost.samples.client;

import io.fencepost.samples.payment.Delivery;
import io.fencepost.samples.payment.PaymentRows;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * The rows of several payment files, one after the other. All headers are checked before the first
 * row is read, so that a bad last file is found in the first second. Not thread safe.
 */
public final class PaymentFiles implements Iterator<Delivery>, AutoCloseable {
  private final List<BufferedReader> readers = new ArrayList<>();
  private final List<PaymentRows> files = new ArrayList<>();
  private int current;

  private PaymentFiles() {}

  /** Opens the files, or says which one is missing or lacks a column. */
  public static PaymentFiles open(List<Path> paths) {
    PaymentFiles files = new PaymentFiles();
    try {
      for (Path path : paths) {
        files.add(path);
      }
    } catch (UsageException e) {
      files.close();
      throw e;
    }
    return files;
  }

  private void add(Path path) {
    if (!Files.isRegularFile(path) || !Files.isReadable(path)) {
      throw new UsageException("--input " + path + ": there is no such file that can be read");
    }
    try {
      // A decoder of its own would throw at bad bytes; this one replaces them, and the row says so.
      BufferedReader reader =
          new BufferedReader(
              new InputStreamReader(Files.newInputStream(path), StandardCharsets.UTF_8));
      readers.add(reader);
      PaymentRows rows =
          new PaymentRows(String.valueOf(path.getFileName()), reader.lines().iterator());
      if (!rows.missingColumns().isEmpty()) {
        throw new UsageException(
            "--input " + path + ": no column " + String.join(", ", rows.missingColumns()));
      }
      files.add(rows);
    } catch (IOException | UncheckedIOException e) {
      throw new UsageException("--input " + path + ": cannot be read: " + e.getMessage(), e);
    }
  }

  @Override
  public boolean hasNext() {
    while (current < files.size() && !files.get(current).hasNext()) {
      current++;
    }
    return current < files.size();
  }

  @Override
  public Delivery next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return files.get(current).next();
  }

  @Override
  public void close() {
    for (BufferedReader reader : readers) {
      try {
        reader.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
