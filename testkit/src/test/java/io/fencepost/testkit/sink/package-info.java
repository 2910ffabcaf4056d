/** The JDBC sink on real databases. */
@NullMarked
package io.fencepost.testkit.sink;

import org.jspecify.annotations.NullMarked;
