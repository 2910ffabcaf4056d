/**
 * Fault plans as data: what is broken, where and when, in code and as one line of text; the
 * catalogue of points where it can be; and the count that decides when it is due.
 */
@NullMarked
package io.fencepost.testkit.fault;

import org.jspecify.annotations.NullMarked;
