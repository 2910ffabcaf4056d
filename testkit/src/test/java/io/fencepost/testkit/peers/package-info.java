/** Software that people run on Kafka, run on Fencepost. */
@NullMarked
package io.fencepost.testkit.peers;

import org.jspecify.annotations.NullMarked;
