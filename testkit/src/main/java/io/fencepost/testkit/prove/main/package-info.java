/** Runs a job under fault plans, in processes that can be killed, and checks what came out. */
@NullMarked
package io.fencepost.testkit.prove.main;

import org.jspecify.annotations.NullMarked;
