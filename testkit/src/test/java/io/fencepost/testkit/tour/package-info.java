/** Sessions with a broker as text, and what each broker says. */
@NullMarked
package io.fencepost.testkit.tour;

import org.jspecify.annotations.NullMarked;
