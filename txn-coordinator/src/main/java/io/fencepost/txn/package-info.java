@NullMarked
package io.fencepost.txn;

import org.jspecify.annotations.NullMarked;
