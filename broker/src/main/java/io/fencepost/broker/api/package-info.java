/** The APIs of the wire protocol: who serves which, and one file for each. */
@NullMarked
package io.fencepost.broker.api;

import org.jspecify.annotations.NullMarked;
