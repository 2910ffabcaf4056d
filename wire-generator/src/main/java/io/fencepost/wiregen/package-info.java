/** Writes the wire message classes from Kafka's message specifications, at build time. */
@NullMarked
package io.fencepost.wiregen;

import org.jspecify.annotations.NullMarked;
