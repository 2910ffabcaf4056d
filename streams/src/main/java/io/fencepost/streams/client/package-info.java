/**
 * The job's side of Kafka: one consumer, one transactional producer, admin checks, over the public
 * client API.
 */
@NullMarked
package io.fencepost.streams.client;

import org.jspecify.annotations.NullMarked;
