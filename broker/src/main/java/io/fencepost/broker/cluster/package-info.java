/**
 * The cluster's metadata: topics, partitions, leaders and their settings, and who may change them.
 */
@NullMarked
package io.fencepost.broker.cluster;

import org.jspecify.annotations.NullMarked;
