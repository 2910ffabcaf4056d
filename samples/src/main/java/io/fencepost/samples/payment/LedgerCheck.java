package io.fencepost.samples.payment;

import io.fencepost.samples.report.Finding;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Compares what came out with what must come out. */
public final class LedgerCheck {
  private LedgerCheck() {}

  /** All checks, in the order of a report. */
  public static List<Finding> compare(InputFold input, Outcome output) {
    List<Finding> findings = new ArrayList<>();
    findings.add(onceEach(input, output));
    findings.add(allThere(input, output));
    findings.add(moneyConserved(input, output));
    findings.add(sameDuplicates(input, output));
    findings.add(sameState(input, output));
    return findings;
  }

  private static Finding onceEach(InputFold input, Outcome output) {
    long repeated = output.acceptedTimes().values().stream().filter(times -> times > 1).count();
    long missing = 0;
    for (String key : input.firstSeen().keySet()) {
      missing += output.acceptedTimes().containsKey(key) ? 0 : 1;
    }
    long unknown = 0;
    for (String key : output.acceptedTimes().keySet()) {
      unknown += input.firstSeen().containsKey(key) ? 0 : 1;
    }
    return Finding.of(
        "each key accepted exactly once",
        repeated == 0 && missing == 0 && unknown == 0,
        "%,d keys, %,d more than once, %,d missing, %,d unknown"
            .formatted(input.firstSeen().size(), repeated, missing, unknown));
  }

  private static Finding allThere(InputFold input, Outcome output) {
    long out = output.accepted().count() + duplicates(output).count() + output.deadLetters();
    return Finding.of(
        "accepted + duplicates + dead letters = input",
        out == input.deliveries() && output.deadLetters() == input.deadLetters(),
        "%,d + %,d + %,d = %,d of %,d"
            .formatted(
                output.accepted().count(),
                duplicates(output).count(),
                output.deadLetters(),
                out,
                input.deliveries()));
  }

  private static Finding moneyConserved(InputFold input, Outcome output) {
    BigDecimal in =
        input.accepted().sum().add(input.duplicateRows().sum()).add(input.redeliveries().sum());
    BigDecimal out = output.accepted().sum().add(duplicates(output).sum());
    return Finding.of(
        "money conserved, in exact decimals",
        in.compareTo(out) == 0 && input.accepted().agreesWith(output.accepted()),
        "%,.2f in, %,.2f accepted + %,.2f duplicates out"
            .formatted(in, output.accepted().sum(), duplicates(output).sum()));
  }

  private static Finding sameDuplicates(InputFold input, Outcome output) {
    return Finding.of(
        "duplicates of the input and redeliveries told apart",
        input.duplicateRows().agreesWith(output.duplicateRows())
            && input.redeliveries().agreesWith(output.redeliveries()),
        "%,d in the input, %,d redelivered"
            .formatted(output.duplicateRows().count(), output.redeliveries().count()));
  }

  private static Finding sameState(InputFold input, Outcome output) {
    long different = 0;
    for (Map.Entry<String, Long> entry : input.firstSeen().entrySet()) {
      different += entry.getValue().equals(output.firstSeen().get(entry.getKey())) ? 0 : 1;
    }
    int size = output.firstSeen().size();
    return Finding.of(
        "state = fold of the input",
        different == 0 && size == input.firstSeen().size(),
        "%,d keys in the changelog, %,d differ".formatted(size, different));
  }

  private static Tally duplicates(Outcome output) {
    return output.duplicateRows().plus(output.redeliveries());
  }
}
