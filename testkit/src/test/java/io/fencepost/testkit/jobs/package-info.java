/** Jobs on real brokers. */
@NullMarked
package io.fencepost.testkit.jobs;

import org.jspecify.annotations.NullMarked;
