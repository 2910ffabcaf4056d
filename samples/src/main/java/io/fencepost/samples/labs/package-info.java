/**
 * Labs: each breaks one thing on purpose, shows what happened, and says what it proves and what
 * not.
 */
@NullMarked
package io.fencepost.samples.labs;

import org.jspecify.annotations.NullMarked;
