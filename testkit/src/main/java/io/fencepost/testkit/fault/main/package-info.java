/** Does to brokers of this process what a plan says. */
@NullMarked
package io.fencepost.testkit.fault.main;

import org.jspecify.annotations.NullMarked;
