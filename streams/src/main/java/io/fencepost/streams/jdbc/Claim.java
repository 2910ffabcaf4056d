package io.fencepost.streams.jdbc;

/**
 * What the database says of a partition that this sink has taken.
 *
 * @param epoch owner epoch: whoever takes the partition later has a higher one
 * @param nextOffset every message before it is stored
 */
record Claim(long epoch, long nextOffset) {}
