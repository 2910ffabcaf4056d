package io.fencepost.broker.batch;

/** Who set the timestamps of a batch. */
public enum TimestampType {
  CREATE_TIME,
  LOG_APPEND_TIME
}
