/** The extension, run by JUnit in JUnit, and what it offers, on Fencepost and Apache Kafka. */
@NullMarked
package io.fencepost.testkit.junit;

import org.jspecify.annotations.NullMarked;
