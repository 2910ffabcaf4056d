/** The brokers that behaviour tests ask. */
@NullMarked
package io.fencepost.testkit.brokers;

import org.jspecify.annotations.NullMarked;
