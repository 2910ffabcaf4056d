/** The payment-dedup job and the formats of its records. */
@NullMarked
package io.fencepost.samples.dedup;

import org.jspecify.annotations.NullMarked;
