package io.fencepost.samples.payment;

import java.util.ArrayList;
import java.util.List;

/**
 * Where a file keeps the columns of a payment: by the names in its header, in any order, further
 * columns allowed.
 */
public final class PaymentColumns {
  /** The columns of a payment, in the order of {@link Payment#toRow()}. */
  public static final List<String> NAMES =
      List.of(
          "payment_date",
          "transaction_number",
          "net_amount_gbp",
          "supplier",
          "service_area",
          "expenses_type");

  private final List<String> header;

  private PaymentColumns(List<String> header) {
    this.header = header;
  }

  static PaymentColumns of(String headerRow) {
    List<String> names = new ArrayList<>();
    for (String name : CsvRow.split(headerRow).fields()) {
      names.add(name.strip());
    }
    return new PaymentColumns(names);
  }

  /** The columns that the header lacks. */
  List<String> missing() {
    List<String> missing = new ArrayList<>(NAMES);
    missing.removeAll(header);
    return missing;
  }

  /**
   * The row as a delivery, in our own order of columns. A row that does not fit the header stays as
   * it is, and the delivery says how many columns it should have had.
   */
  Delivery deliver(String file, long line, String row) {
    if (header.equals(NAMES)) {
      return new Delivery(file, line, 0, NAMES.size(), row);
    }
    CsvRow.Split split = CsvRow.split(row);
    if (split.problem() != null || split.fields().size() != header.size()) {
      return new Delivery(file, line, 0, header.size(), row);
    }
    List<String> ordered = new ArrayList<>(NAMES.size());
    for (String name : NAMES) {
      ordered.add(split.fields().get(header.indexOf(name)));
    }
    return new Delivery(file, line, 0, NAMES.size(), CsvRow.join(ordered));
  }
}
