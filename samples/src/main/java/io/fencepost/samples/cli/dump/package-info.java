/** Shows what stands in a broker's files. */
@NullMarked
package io.fencepost.samples.cli.dump;

import org.jspecify.annotations.NullMarked;
