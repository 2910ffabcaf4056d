/** What tests and proofs start and leave behind outside of this process. */
@NullMarked
package io.fencepost.testkit.main;

import org.jspecify.annotations.NullMarked;
