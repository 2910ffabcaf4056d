package io.fencepost.samples.jobs;

import io.fencepost.streams.Job;
import io.fencepost.streams.Message;
import io.fencepost.streams.Processor;
import io.fencepost.streams.ProcessorContext;
import io.fencepost.streams.SideOutput;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.jspecify.annotations.Nullable;

/**
 * Repairs dead letters and sends them back to the topic that they came from. A header counts how
 * often a record has been through here, and survives the way round: after three times, or if there
 * is nothing to repair, the letter goes as it is to a topic for people.
 */
public final class DeadLetterRepair implements Processor<String, String, String, String> {
  static final String ROUNDS = "repair.rounds";
  private static final int ROUNDS_LIMIT = 3;
  private static final SideOutput<String, String> FOR_PEOPLE = SideOutput.named("for-people");

  private @Nullable ProcessorContext<String, String> context;

  private DeadLetterRepair() {}

  public static void main(String[] settings) throws InterruptedException {
    SampleMain.run(define(), settings);
  }

  /** Reads the dead letters of the topic amounts, writes that topic. */
  public static Job define() {
    Serde<String> text = Serdes.String();
    Job job = Job.named("dead-letter-repair");
    var repaired =
        job.from("amounts-dead-letters", text, text)
            .process("repair", DeadLetterRepair::new, FOR_PEOPLE);
    repaired.to("amounts", text, text);
    repaired.side(FOR_PEOPLE).to("amounts-for-people", text, text);
    return job;
  }

  @Override
  public void open(ProcessorContext<String, String> opened) {
    context = opened;
  }

  @Override
  public void process(Message<String, String> letter) {
    if (context == null) {
      throw new IllegalStateException("not open");
    }
    int rounds = rounds(letter);
    String amount = repaired(letter.value());
    if (rounds >= ROUNDS_LIMIT || amount == null) {
      context.emit(FOR_PEOPLE, letter);
      return;
    }
    Message<String, String> again = context.message(letter.key(), amount, letter.timestampMs());
    for (Header header : letter.headers()) {
      // Those say why it died this time; its next dead letter has its own.
      if (!header.key().startsWith("fencepost.") && !header.key().equals(ROUNDS)) {
        again.headers().add(header);
      }
    }
    again.headers().add(ROUNDS, Integer.toString(rounds + 1).getBytes(StandardCharsets.US_ASCII));
    context.emit(again);
  }

  private static int rounds(Message<String, String> letter) {
    Header rounds = letter.headers().lastHeader(ROUNDS);
    return rounds == null
        ? 0
        : Integer.parseInt(new String(rounds.value(), StandardCharsets.US_ASCII));
  }

  /** An amount with a decimal comma or a currency sign; null for all else. */
  private static @Nullable String repaired(@Nullable String amount) {
    if (amount == null) {
      return null;
    }
    String digits = amount.replaceAll("[£€$ ]", "").replace(',', '.');
    return digits.equals(amount) || digits.isEmpty() ? null : digits;
  }
}
