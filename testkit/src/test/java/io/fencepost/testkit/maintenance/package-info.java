/** What real clients see of retention and compaction; one text, asked of both brokers. */
@NullMarked
package io.fencepost.testkit.maintenance;

import org.jspecify.annotations.NullMarked;
