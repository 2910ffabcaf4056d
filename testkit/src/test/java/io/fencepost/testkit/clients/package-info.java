/** Clients of other versions than this build's, each with classes of its own. */
@NullMarked
package io.fencepost.testkit.clients;

import org.jspecify.annotations.NullMarked;
