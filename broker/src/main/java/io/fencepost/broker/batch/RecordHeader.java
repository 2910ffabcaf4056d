package io.fencepost.broker.batch;

import org.jspecify.annotations.Nullable;

/** One header of a record. The value is shared, not copied. */
@SuppressWarnings("ArrayRecordComponent") // a carrier of bytes; nobody compares headers
public record RecordHeader(String key, byte @Nullable [] value) {}
