@NullMarked
package io.fencepost.streams;

import org.jspecify.annotations.NullMarked;
