package io.fencepost.broker.cluster;

import io.fencepost.broker.check.Finding;
import io.fencepost.broker.check.Findings;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;

/** Checks the metadata and tells what topics there are, as far as it can be read. */
public final class JournalCheck implements JournalReader.Visitor {
  private final Findings findings;
  private ClusterState state = ClusterState.empty("", 0);
  private boolean isWhole;

  private JournalCheck(Findings findings) {
    this.findings = findings;
  }

  /** The topics; none if there is no metadata yet. */
  public static ClusterState run(Disk disk, Findings findings) {
    JournalCheck check = new JournalCheck(findings);
    if (!disk.exists(JournalReader.PATH)) {
      if (ClusterJournal.orphan(disk) != null) {
        findings.damage(
            JournalReader.PATH,
            Finding.WHOLE,
            "the file is missing, but there are partitions such as " + ClusterJournal.orphan(disk));
      }
    } else {
      JournalReader.read(disk, check);
      if (!check.isWhole) {
        findings.damage(
            JournalReader.PATH,
            disk.read(JournalReader.PATH).length,
            "the file was cut off: topics are missing");
      }
    }
    return check.state;
  }

  @Override
  public void line(JournalReader.Line line) {
    String payload = line.payload();
    if (payload == null) {
      boolean isHarmless = isWhole && line.isLast() && line.isTorn();
      if (isHarmless) {
        findings.repairable(
            JournalReader.PATH,
            line.position(),
            "a change that the stop cut short, which nobody was told of");
      } else {
        findings.damage(
            JournalReader.PATH,
            line.position(),
            "line " + line.number() + " does not fit its checksum");
      }
      return;
    }
    if (payload.equals(ClusterJournal.WHOLE)) {
      isWhole = true;
    } else {
      apply(line, payload);
    }
  }

  private void apply(JournalReader.Line line, String payload) {
    try {
      state = ClusterJournal.apply(state, payload, line.number() - 1);
    } catch (DiskException strange) {
      findings.damage(
          JournalReader.PATH,
          line.number() == 1 ? Finding.WHOLE : line.position(),
          String.valueOf(strange.getMessage()));
    }
  }
}
