@NullMarked
package io.fencepost.testkit.prove;

import org.jspecify.annotations.NullMarked;
