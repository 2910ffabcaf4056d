package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Flow;
import io.fencepost.testkit.history.Event.Takes;
import java.util.List;

/** The deduplicating job of a campaign: what a history without flows is about. */
public final class Pipeline {
  /** Where payments come in. */
  public static final String INPUT = "payments";

  /** Where each payment goes the first time. */
  public static final String ACCEPTED = "accepted";

  /** Where it goes again. */
  public static final String DUPLICATES = "duplicates";

  /** The job's group. */
  public static final String GROUP = "tellers";

  /** Its values are {@link Posting}s. */
  public static final List<Flow> FLOWS =
      List.of(
          new Flow(GROUP, INPUT, ACCEPTED, Takes.FIRST),
          new Flow(GROUP, INPUT, DUPLICATES, Takes.AGAIN));

  private Pipeline() {}
}
