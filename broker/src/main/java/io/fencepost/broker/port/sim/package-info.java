/** The world of the ports, simulated: everything follows from one seed. */
@NullMarked
package io.fencepost.broker.port.sim;

import org.jspecify.annotations.NullMarked;
