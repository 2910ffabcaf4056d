@NullMarked
package io.fencepost.broker;

import org.jspecify.annotations.NullMarked;
