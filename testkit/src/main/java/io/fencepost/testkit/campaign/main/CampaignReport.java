package io.fencepost.testkit.campaign.main;

import io.fencepost.testkit.campaign.Fault;
import io.fencepost.testkit.campaign.client.Tally;
import io.fencepost.testkit.history.History;
import io.fencepost.testkit.history.Verdict;
import java.util.List;
import java.util.Map;

/**
 * What a campaign did and what it found.
 *
 * @param fired how often each kind of fault was done
 * @param tally what clients met
 * @param journal the plan as it was carried out, a line a step
 * @param history of all that clients were told and the logs hold
 * @param verdicts by the id of the invariant
 */
public record CampaignReport(
    Campaign.Options options,
    String groupProtocol,
    Map<Fault, Integer> fired,
    Tally tally,
    List<String> journal,
    History history,
    Map<String, Verdict> verdicts) {
  /** Whether no invariant was broken, and for none that is unknown. */
  public boolean passes() {
    return verdicts.values().stream().allMatch(Verdict::holds);
  }
}
