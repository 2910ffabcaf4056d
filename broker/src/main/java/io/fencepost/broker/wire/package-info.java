/** The Kafka wire protocol: reading and writing messages; generated ones are below it. */
@NullMarked
package io.fencepost.broker.wire;

import org.jspecify.annotations.NullMarked;
