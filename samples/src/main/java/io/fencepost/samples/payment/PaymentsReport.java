package io.fencepost.samples.payment;

import io.fencepost.samples.report.Facts;
import io.fencepost.samples.report.Finding;
import io.fencepost.samples.report.Table;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a payments run says at the end. */
public record PaymentsReport(
    DedupKey dedupKey, InputFold input, Outcome output, Work work, List<Finding> findings) {

  /** How the job did it. */
  public record Work(long transactions, long aborts, double seconds, String guarantee) {}

  /** The report on this input and output. */
  public static PaymentsReport of(DedupKey dedupKey, InputFold input, Outcome output, Work work) {
    return new PaymentsReport(dedupKey, input, output, work, LedgerCheck.compare(input, output));
  }

  /** Whether the exit code may be 0. */
  public boolean passes() {
    return Finding.noneFails(findings);
  }

  /** The report for people. */
  @Override
  public String toString() {
    Table table = new Table("WHAT", "COUNT", "SUM GBP");
    row(table, "rows of the input", rowCount(), input.accepted().plus(input.duplicateRows()).sum());
    row(table, "redelivered", input.redelivered(), input.redeliveries().sum());
    row(table, "accepted", output.accepted());
    row(table, "duplicates in the input", output.duplicateRows());
    row(table, "duplicates by redelivery", output.redeliveries());
    row(table, "dead letters", output.deadLetters(), null);
    return table
        + "\n"
        + deadLetterText()
        + keyText()
        + "\n%,d transactions, %,d aborted, %.1f s, %,d records/s\n\n"
            .formatted(work.transactions(), work.aborts(), work.seconds(), recordsPerSecond())
        + Finding.text(findings)
        + "\n"
        + work.guarantee();
  }

  /** The report for programs. */
  public Map<String, Object> toObject() {
    Facts facts = new Facts();
    facts.add("key", dedupKey.option());
    facts.add("rows", rowCount());
    facts.add("redelivered", input.redelivered());
    add(facts, "accepted", output.accepted());
    add(facts, "duplicates in input", output.duplicateRows());
    add(facts, "duplicates by redelivery", output.redeliveries());
    facts.add("dead letters", output.deadLetters());
    facts.add("look alikes kept", input.lookAlikes());
    add(facts, "wrongly dropped", input.wronglyDropped());
    facts.add("transactions", work.transactions());
    facts.add("aborts", work.aborts());
    facts.add("records per second", recordsPerSecond());
    facts.add("elapsed ms", Math.round(work.seconds() * 1000));
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("figures", facts.toObject());
    object.put("findings", Finding.toObjects(findings));
    object.put("guarantee", work.guarantee());
    object.put("passed", passes());
    return object;
  }

  private String deadLetterText() {
    StringBuilder text = new StringBuilder();
    for (String deadLetter : output.firstDeadLetters()) {
      text.append("dead letter  ").append(deadLetter).append('\n');
    }
    long more = output.deadLetters() - output.firstDeadLetters().size();
    return text.append(more > 0 ? "             and %,d more\n".formatted(more) : "").toString();
  }

  /** What the choice of the key did to payments that only look alike. */
  private String keyText() {
    Tally wrong = input.wronglyDropped();
    String kept =
        "key %s: %,d payments that equal another in date, amount and supplier were kept\n"
            .formatted(dedupKey.option(), input.lookAlikes());
    return wrong.count() == 0
        ? kept
        : kept
            + "WRONG KEY: %,d payments (%,.2f GBP) with a transaction number of their own were dropped\n"
                .formatted(wrong.count(), wrong.sum());
  }

  private long rowCount() {
    return input.deliveries() - input.redelivered();
  }

  private long recordsPerSecond() {
    return Math.round(input.deliveries() / Math.max(work.seconds(), 0.001));
  }

  private static void add(Facts facts, String label, Tally tally) {
    facts.add(label, tally.count()).add(label + " gbp", tally.sum());
  }

  private static void row(Table table, String what, Tally tally) {
    row(table, what, tally.count(), tally.sum());
  }

  private static void row(Table table, String what, long count, @Nullable BigDecimal sum) {
    table.row(what, "%,d".formatted(count), sum == null ? "-" : "%,.2f".formatted(sum));
  }
}
