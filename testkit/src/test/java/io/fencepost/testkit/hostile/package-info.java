/** Clients that mean harm, beside others that must not notice. */
@NullMarked
package io.fencepost.testkit.hostile;

import org.jspecify.annotations.NullMarked;
