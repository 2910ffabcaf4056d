/**
 * For tests on JUnit 5 and 6: a broker for a class or method, clients of the user's own
 * kafka-clients as parameters, logs with transactions built by a sentence, waits that fail with
 * what was seen, and the proof that a job's output is exactly once under a fault plan. Uses only
 * what kafka-clients has since 2.8.
 */
@NullMarked
package io.fencepost.testkit.junit;

import org.jspecify.annotations.NullMarked;
