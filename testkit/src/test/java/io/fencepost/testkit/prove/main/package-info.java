@NullMarked
package io.fencepost.testkit.prove.main;

import org.jspecify.annotations.NullMarked;
