/** Apache Kafka's own command line tools against a broker. */
@NullMarked
package io.fencepost.testkit.tools;

import org.jspecify.annotations.NullMarked;
