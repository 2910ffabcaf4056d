/** Test support: compares our generated messages with those of Apache Kafka. */
@NullMarked
package io.fencepost.broker.wire.twin;

import org.jspecify.annotations.NullMarked;
