package io.fencepost.samples.jobs;

import io.fencepost.samples.dedup.PaymentDedupJob;
import io.fencepost.samples.dedup.PaymentTopics;
import io.fencepost.streams.Job;

/**
 * Charges every payment once, however often the gateway delivers it; see {@link PaymentDedupJob}.
 */
public final class PaymentDedup {
  private PaymentDedup() {}

  public static void main(String[] settings) throws InterruptedException {
    SampleMain.run(define(), settings);
  }

  /** The job on topics of the plain names. */
  public static Job define() {
    return PaymentDedupJob.define("payment-dedup", PaymentTopics.withSuffix(""));
  }
}
