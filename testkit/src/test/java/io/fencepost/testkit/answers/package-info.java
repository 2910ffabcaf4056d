/** What a broker answers to raw requests: the same questions to Fencepost and to Apache Kafka. */
@NullMarked
package io.fencepost.testkit.answers;

import org.jspecify.annotations.NullMarked;
