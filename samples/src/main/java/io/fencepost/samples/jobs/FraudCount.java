package io.fencepost.samples.jobs;

import io.fencepost.streams.Job;
import io.fencepost.streams.Windowed;
import io.fencepost.streams.Windows;
import java.math.BigDecimal;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/**
 * Raises an alarm for each card with too many payments in five minutes of event time. A window has
 * one result, when it has closed, so there is one alarm for it, whatever crashes. Payments that
 * come after their window has closed go to a topic of their own, to be looked at by people.
 */
public final class FraudCount {
  private static final long PAYMENTS_LIMIT = 3;
  private static final Windows.Aligned WINDOWS =
      Windows.tumbling(Duration.ofMinutes(5)).grace(Duration.ofSeconds(30));

  private FraudCount() {}

  public static void main(String[] settings) throws InterruptedException {
    SampleMain.run(define(), settings);
  }

  /** Reads card payments, keyed by card, writes alarms. */
  public static Job define() {
    Serde<String> cards = Serdes.String();
    Job job = Job.named("fraud-count").deadLetters("card-payments-dead-letters");
    job.from("card-payments", cards, new Decimals())
        .filter((card, amount) -> amount.compareTo(BigDecimal.ZERO) > 0)
        .window(WINDOWS)
        .late(late -> late.to("card-payments-late", cards, new Decimals()))
        .count("payments-per-card")
        .filter((window, count) -> count > PAYMENTS_LIMIT)
        .to("fraud-alarms", Windowed.serde(cards), Serdes.Long());
    return job;
  }
}
