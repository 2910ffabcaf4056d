/** What a campaign breaks and when: plans from a seed, and the rule that they keep; pure. */
@NullMarked
package io.fencepost.testkit.campaign;

import org.jspecify.annotations.NullMarked;
