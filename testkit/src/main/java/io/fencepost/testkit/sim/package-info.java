/** Broker, coordinators and clients on one thread under virtual time; pure. */
@NullMarked
package io.fencepost.testkit.sim;

import org.jspecify.annotations.NullMarked;
