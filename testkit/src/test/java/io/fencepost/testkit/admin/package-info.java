/** The Admin client in several versions against a broker. */
@NullMarked
package io.fencepost.testkit.admin;

import org.jspecify.annotations.NullMarked;
