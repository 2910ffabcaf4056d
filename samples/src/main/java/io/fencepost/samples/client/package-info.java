/** Kafka clients, files and the embedded broker, as the jobs and labs use them. */
@NullMarked
package io.fencepost.samples.client;

import org.jspecify.annotations.NullMarked;
