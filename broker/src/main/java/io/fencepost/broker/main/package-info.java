/** Shell: the real world behind the ports, and a broker assembled over it. */
@NullMarked
package io.fencepost.broker.main;

import org.jspecify.annotations.NullMarked;
