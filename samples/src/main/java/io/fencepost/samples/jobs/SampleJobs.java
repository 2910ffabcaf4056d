package io.fencepost.samples.jobs;

import io.fencepost.streams.Job;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/** The jobs that the command line can run. */
public final class SampleJobs {
  /** Their names, for people. */
  public static final String LIST =
      "dead-letter-repair, enrichment, fraud-count, payment-dedup, running-balance,"
          + " transfer-ledger";

  public static final SortedMap<String, Supplier<Job>> BY_NAME = byName();

  private SampleJobs() {}

  private static SortedMap<String, Supplier<Job>> byName() {
    TreeMap<String, Supplier<Job>> jobs = new TreeMap<>();
    jobs.put("dead-letter-repair", DeadLetterRepair::define);
    jobs.put("enrichment", Enrichment::define);
    jobs.put("fraud-count", FraudCount::define);
    jobs.put("payment-dedup", PaymentDedup::define);
    jobs.put("running-balance", RunningBalance::define);
    jobs.put("transfer-ledger", TransferLedger::define);
    return Collections.unmodifiableSortedMap(jobs);
  }
}
