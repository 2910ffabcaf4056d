@NullMarked
package io.fencepost.testkit;

import org.jspecify.annotations.NullMarked;
