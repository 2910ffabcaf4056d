/**
 * What fault plans need to know of the protocol, for all of its requests alike: what a request is
 * about, and the answer that refuses it.
 */
@NullMarked
package io.fencepost.testkit.fault.wire;

import org.jspecify.annotations.NullMarked;
