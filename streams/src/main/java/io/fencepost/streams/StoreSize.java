package io.fencepost.streams;

/**
 * Estimated size of a store's partition on this instance.
 *
 * @param bytes in memory and, compressed, on disk
 */
public record StoreSize(String store, int partition, long keys, long bytes) {}
