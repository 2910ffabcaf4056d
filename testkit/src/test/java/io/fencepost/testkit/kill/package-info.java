/** A server in a process of its own, killed under the load of real clients. */
@NullMarked
package io.fencepost.testkit.kill;

import org.jspecify.annotations.NullMarked;
