package io.fencepost.broker.batch;

/** A batch unpacks to more than its reader is ready for. */
public final class OversizedBatchException extends MalformedBatchException {
  private static final long serialVersionUID = 1L;

  OversizedBatchException(long limitBytes) {
    super("the batch unpacks to more than " + limitBytes + " bytes");
  }
}
