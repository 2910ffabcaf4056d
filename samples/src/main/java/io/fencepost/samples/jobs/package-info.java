/** Jobs to learn from and to copy: each is a main class of its own. */
@NullMarked
package io.fencepost.samples.jobs;

import org.jspecify.annotations.NullMarked;
