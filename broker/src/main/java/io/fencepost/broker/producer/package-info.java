/** What one partition knows of its producers: sequences, epochs and open transactions. */
@NullMarked
package io.fencepost.broker.producer;

import org.jspecify.annotations.NullMarked;
