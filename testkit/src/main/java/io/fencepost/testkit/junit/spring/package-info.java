/** Gives Spring's test contexts the cluster of their class. Loaded by Spring, where it is. */
@NullMarked
package io.fencepost.testkit.junit.spring;

import org.jspecify.annotations.NullMarked;
