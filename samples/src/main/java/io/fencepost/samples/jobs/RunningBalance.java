package io.fencepost.samples.jobs;

import io.fencepost.samples.dedup.JsonSerde;
import io.fencepost.samples.payment.Charge;
import io.fencepost.streams.Job;
import io.fencepost.streams.StoreSpec;
import java.math.BigDecimal;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/**
 * What each supplier has been paid so far. Charges are keyed by payment, so they first go to the
 * partition of their supplier; each changes the supplier's balance, and the new balance is
 * published. Store, output and input offset share a transaction, so no crash counts a charge twice.
 */
public final class RunningBalance {
  static final StoreSpec<String, BigDecimal> BALANCES =
      StoreSpec.keyed("balances", Serdes.String(), new Decimals());

  private RunningBalance() {}

  public static void main(String[] settings) throws InterruptedException {
    SampleMain.run(define(), settings);
  }

  /** Reads charges, writes balances. */
  public static Job define() {
    Serde<String> keys = Serdes.String();
    Serde<Charge> charges = new JsonSerde<>(Charge.class);
    Job job = Job.named("running-balance").deadLetters("charges-dead-letters");
    job.from("charges", keys, charges)
        .keyBy("by-supplier", Charge::supplier, keys, charges)
        .<String, BigDecimal, String, BigDecimal>process(
            BALANCES,
            (charge, balances, out) -> {
              BigDecimal before = balances.get(charge.key());
              BigDecimal amount = charge.value().amount();
              BigDecimal balance = before == null ? amount : before.add(amount);
              balances.put(charge.key(), balance);
              out.emit(charge.withValue(balance));
            })
        .to("balances", keys, new Decimals());
    return job;
  }
}
