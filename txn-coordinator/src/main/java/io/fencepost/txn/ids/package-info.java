/** Producer ids: durable before use, never the same twice. */
@NullMarked
package io.fencepost.txn.ids;

import org.jspecify.annotations.NullMarked;
