/**
 * Payments as values: rows and their reading, the dedup keys, redeliveries, and what must add up in
 * the end.
 */
@NullMarked
package io.fencepost.samples.payment;

import org.jspecify.annotations.NullMarked;
