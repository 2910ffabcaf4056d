/** What clients of a cluster are told when they ask the wrong broker, or at the wrong time. */
@NullMarked
package io.fencepost.testkit.cluster;

import org.jspecify.annotations.NullMarked;
