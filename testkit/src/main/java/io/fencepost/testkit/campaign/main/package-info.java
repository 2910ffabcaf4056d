/** Runs a campaign against a cluster in this JVM and says what held. */
@NullMarked
package io.fencepost.testkit.campaign.main;

import org.jspecify.annotations.NullMarked;
