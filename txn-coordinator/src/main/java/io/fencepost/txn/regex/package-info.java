/** Patterns that clients send: how large they may be. */
@NullMarked
package io.fencepost.txn.regex;

import org.jspecify.annotations.NullMarked;
