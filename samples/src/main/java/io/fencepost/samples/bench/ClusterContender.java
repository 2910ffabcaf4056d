package io.fencepost.samples.bench;

import java.nio.file.Path;

/** A contender of several brokers, any of which can be killed. */
interface ClusterContender extends Contender {
  /** How many brokers, and replicas of each partition that a benchmark makes. */
  int BROKERS = 3;

  @Override
  Cluster start(Path directory) throws Exception;
}
