package io.fencepost.testkit.jobs;

import java.io.IOException;
import java.nio.file.Path;

/** {@link OutageBehaviour} on Fencepost. */
class OutageOnFencepostIT extends OutageBehaviour {
  @Override
  KillableBroker start(Path directory) throws IOException {
    return BrokerProcess.start(directory);
  }
}
