package io.fencepost.broker.log;

import io.fencepost.broker.batch.BatchView;

/**
 * Is shown batches in the order of the log. The view and its bytes are valid during the call only.
 */
public interface BatchListener {
  void onBatch(BatchView batch);
}
