/** Histories in files: good ones, damaged ones, big ones. */
@NullMarked
package io.fencepost.testkit.history.disk;

import org.jspecify.annotations.NullMarked;
