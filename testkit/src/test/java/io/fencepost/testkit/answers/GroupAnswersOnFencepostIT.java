package io.fencepost.testkit.answers;

import io.fencepost.testkit.brokers.TestBroker;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@link GroupAnswers} from Fencepost. */
class GroupAnswersOnFencepostIT extends GroupAnswers {
  @RegisterExtension static final TestBroker BROKER = TestBroker.fencepost(settings());

  @Override
  public String bootstrapServers() {
    return BROKER.bootstrapServers();
  }

  /** A broker of one process makes targets at once. */
  @Override
  public int defaultAssignmentInterval() {
    return 0;
  }
}
