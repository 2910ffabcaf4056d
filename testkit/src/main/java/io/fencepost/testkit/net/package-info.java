/**
 * Faults on the wire between real clients and real brokers, and raw requests that no client would
 * send.
 */
@NullMarked
package io.fencepost.testkit.net;

import org.jspecify.annotations.NullMarked;
