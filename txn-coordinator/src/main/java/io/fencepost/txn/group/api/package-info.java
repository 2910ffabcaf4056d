/**
 * The APIs of consumer groups and offsets: one file for each, and the extension that serves them.
 */
@NullMarked
package io.fencepost.txn.group.api;

import org.jspecify.annotations.NullMarked;
