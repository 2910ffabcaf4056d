/** Shell: sockets. One thread per connection reads a frame, has it served, writes the answer. */
@NullMarked
package io.fencepost.broker.net;

import org.jspecify.annotations.NullMarked;
