/** What an offline check of a broker's directory says. */
@NullMarked
package io.fencepost.broker.check;

import org.jspecify.annotations.NullMarked;
