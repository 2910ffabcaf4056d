package io.fencepost.samples.payment;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What makes two deliveries the same payment. Only the first choice asks the business for it. */
public enum DedupKey {
  /** The publisher's own id of the transaction. */
  TRANSACTION_NUMBER("transaction_number") {
    @Override
    public String of(Payment payment) {
      return payment.transactionNumber();
    }
  },
  /** All six columns: keeps the parts of a split payment, drops rows that were published twice. */
  ROW("row") {
    @Override
    public String of(Payment payment) {
      return payment.toRow();
    }
  },
  /** A content hash by another name: drops payments that only look alike. Here to show that. */
  CONTENT("date,amount,supplier") {
    @Override
    public String of(Payment payment) {
      return contentOf(payment);
    }
  };

  private final String option;

  DedupKey(String option) {
    this.option = option;
  }

  /** The key of a payment. */
  public abstract String of(Payment payment);

  /** How the choice is written on the command line. */
  public String option() {
    return option;
  }

  /** The choice that is written like this, if there is one. */
  public static @Nullable DedupKey named(String option) {
    for (DedupKey key : values()) {
      if (key.option.equals(option)) {
        return key;
      }
    }
    return null;
  }

  /** How all choices are written. */
  public static List<String> options() {
    List<String> options = new ArrayList<>();
    for (DedupKey key : values()) {
      options.add(key.option);
    }
    return options;
  }

  static String contentOf(Payment payment) {
    return payment.date() + "|" + payment.amount().toPlainString() + "|" + payment.supplier();
  }
}
