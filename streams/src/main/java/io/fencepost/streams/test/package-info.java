/** Tests of jobs without a broker: {@link io.fencepost.streams.test.JobTest}. */
@NullMarked
package io.fencepost.streams.test;

import org.jspecify.annotations.NullMarked;
