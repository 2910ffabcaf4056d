/**
 * A change in a database and what others must hear of it: the change and an outbox row in one
 * transaction of the database, the row to a topic, and from there mail with a key that makes a
 * repetition harmless.
 */
@NullMarked
package io.fencepost.samples.outbox;

import org.jspecify.annotations.NullMarked;
