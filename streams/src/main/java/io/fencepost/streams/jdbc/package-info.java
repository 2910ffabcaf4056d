/** Stores a topic in a database: rows and offsets in one transaction of the database. */
@NullMarked
package io.fencepost.streams.jdbc;

import org.jspecify.annotations.NullMarked;
