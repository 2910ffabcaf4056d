@NullMarked
package io.fencepost.testkit.campaign;

import org.jspecify.annotations.NullMarked;
