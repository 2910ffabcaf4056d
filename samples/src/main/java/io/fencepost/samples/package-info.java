@NullMarked
package io.fencepost.samples;

import org.jspecify.annotations.NullMarked;
