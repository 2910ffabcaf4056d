package io.fencepost.samples.jobs;

import io.fencepost.samples.dedup.JsonSerde;
import io.fencepost.streams.Job;
import java.math.BigDecimal;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/**
 * Makes a debit and a credit of each transfer. They stand under different keys, so most often in
 * different partitions, and a reader of committed records sees both or neither: they are one
 * transaction with the offset of the transfer, which is keyed by its id and counts once.
 */
public final class TransferLedger {
  /** What a customer asked for. */
  public record Transfer(String from, String to, BigDecimal amount) {}

  /** One side of it; the key is the account. The sum over a transfer is zero. */
  public record Entry(String transfer, BigDecimal amount) {}

  private TransferLedger() {}

  public static void main(String[] settings) throws InterruptedException {
    SampleMain.run(define(), settings);
  }

  /** Reads transfers, writes the ledger. */
  public static Job define() {
    Serde<String> keys = Serdes.String();
    Serde<Transfer> transfers = new JsonSerde<>(Transfer.class);
    Serde<Entry> entries = new JsonSerde<>(Entry.class);
    Job job = Job.named("transfer-ledger").deadLetters("transfers-dead-letters");
    job.from("transfers", keys, transfers)
        .deduplicate("transfers-seen", Duration.ofDays(30))
        .<String, Entry>flatMap(
            (message, out) -> {
              Transfer transfer = checked(message.value());
              String id = message.key();
              Entry debit = new Entry(id, transfer.amount().negate());
              Entry credit = new Entry(id, transfer.amount());
              out.emit(message.withKey(transfer.from()).withValue(debit));
              out.emit(message.withKey(transfer.to()).withValue(credit));
            })
        .to("ledger", keys, entries);
    return job;
  }

  /** A transfer that throws here is a dead letter, and neither side of it is in the ledger. */
  private static Transfer checked(Transfer transfer) {
    if (transfer.amount().signum() <= 0) {
      throw new IllegalArgumentException("a transfer of " + transfer.amount());
    }
    if (transfer.from().equals(transfer.to())) {
      throw new IllegalArgumentException("from and to are both " + transfer.to());
    }
    return transfer;
  }
}
