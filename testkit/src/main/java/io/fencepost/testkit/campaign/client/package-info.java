/** Live clients of a broker or cluster under fire, and the history that they write. */
@NullMarked
package io.fencepost.testkit.campaign.client;

import org.jspecify.annotations.NullMarked;
