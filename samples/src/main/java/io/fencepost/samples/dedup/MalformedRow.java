package io.fencepost.samples.dedup;

import io.fencepost.samples.payment.Delivery;
import org.jspecify.annotations.Nullable;

/** A delivered row that is no payment. The message names file, line and reason. */
public final class MalformedRow extends RuntimeException {
  private static final long serialVersionUID = 1L;

  MalformedRow(Delivery delivery, @Nullable String problem) {
    super(delivery.source() + ": " + problem);
  }
}
