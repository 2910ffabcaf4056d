/** The world as the core sees it: time, order, files, the network and chance. */
@NullMarked
package io.fencepost.broker.port;

import org.jspecify.annotations.NullMarked;
