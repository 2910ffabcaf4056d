package io.fencepost.broker.log;

import io.fencepost.broker.port.Bytes;

/**
 * Whole batches from one segment.
 *
 * @param firstOffset base offset of the first batch; the asked offset if there are no bytes
 * @param nextOffset every record below it, from the asked offset on, is in the bytes
 */
public record ReadResult(Bytes bytes, long firstOffset, long nextOffset) {}
