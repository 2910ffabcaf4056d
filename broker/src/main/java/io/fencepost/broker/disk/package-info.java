/** The real disk: files by channel, and the lock on a broker's directory. */
@NullMarked
package io.fencepost.broker.disk;

import org.jspecify.annotations.NullMarked;
