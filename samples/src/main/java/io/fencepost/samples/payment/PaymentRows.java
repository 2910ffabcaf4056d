package io.fencepost.samples.payment;

import java.util.Iterator;
import java.util.List;

/**
 * The rows of one file as deliveries. The header is read at construction; ask {@link
 * #missingColumns()} before the first row. Not thread safe.
 */
public final class PaymentRows implements Iterator<Delivery> {
  private final String file;
  private final CsvRecords records;
  private final PaymentColumns columns;

  /** Reads the lines of {@code file}, line breaks already taken off. */
  public PaymentRows(String file, Iterator<String> lines) {
    this.file = file;
    this.records = new CsvRecords(lines);
    this.columns = PaymentColumns.of(records.hasNext() ? records.next().text() : "");
  }

  /** The columns of a payment that the file lacks; rows are of use only if this is empty. */
  public List<String> missingColumns() {
    return columns.missing();
  }

  @Override
  public boolean hasNext() {
    return records.hasNext();
  }

  @Override
  public Delivery next() {
    CsvRecords.Numbered record = records.next();
    return columns.deliver(file, record.line(), record.text());
  }
}
