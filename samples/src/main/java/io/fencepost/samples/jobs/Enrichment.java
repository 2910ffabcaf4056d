package io.fencepost.samples.jobs;

import io.fencepost.samples.dedup.JsonSerde;
import io.fencepost.samples.payment.Charge;
import io.fencepost.streams.Job;
import io.fencepost.streams.Table;
import java.math.BigDecimal;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.jspecify.annotations.Nullable;

/**
 * Adds to each charge what is known of its supplier. The topic suppliers is a table: its latest
 * record of each supplier counts. Charges go to the partition of their supplier first, where the
 * table has that supplier; one whose supplier nobody knows (yet) goes on without.
 */
public final class Enrichment {
  /** A supplier as its topic has it; the key is the name. */
  public record Supplier(String country, String iban) {}

  /** A charge and what the bank must know. */
  public record Order(
      String payment, BigDecimal amount, @Nullable String country, @Nullable String iban) {
    static Order of(Charge charge, @Nullable Supplier supplier) {
      return supplier == null
          ? new Order(charge.transactionNumber(), charge.amount(), null, null)
          : new Order(
              charge.transactionNumber(), charge.amount(), supplier.country(), supplier.iban());
    }
  }

  private Enrichment() {}

  public static void main(String[] settings) throws InterruptedException {
    SampleMain.run(define(), settings);
  }

  /** Reads charges and suppliers, writes orders. */
  public static Job define() {
    Serde<String> keys = Serdes.String();
    Serde<Charge> charges = new JsonSerde<>(Charge.class);
    Job job = Job.named("enrichment").deadLetters("enrichment-dead-letters");
    Table<String, Supplier> suppliers =
        job.table("suppliers", "supplier-table", keys, new JsonSerde<>(Supplier.class));
    job.from("charges", keys, charges)
        .keyBy("charges-by-supplier", Charge::supplier, keys, charges)
        .leftJoin(suppliers, Order::of)
        .to("orders", keys, new JsonSerde<>(Order.class));
    return job;
  }
}
