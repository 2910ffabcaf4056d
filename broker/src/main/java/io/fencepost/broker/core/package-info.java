/** One broker, assembled over the ports: no socket, no thread, no clock of its own. */
@NullMarked
package io.fencepost.broker.core;

import org.jspecify.annotations.NullMarked;
