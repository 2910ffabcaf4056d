package io.fencepost.testkit.junit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class LogScriptOnFencepostIT implements LogScriptBehaviour {
  private static TestCluster cluster;

  @BeforeAll
  static void start() {
    cluster = TestCluster.start(1);
  }

  @AfterAll
  static void close() {
    cluster.close();
  }

  @Override
  public TestCluster cluster() {
    return cluster;
  }
}
