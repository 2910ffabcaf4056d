package io.fencepost.testkit.sim;

import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.port.sim.SimTransport;

/**
 * What one seed makes of a run: each seed has another mix of faults and another shape, so that many
 * short runs cover more than one long run.
 *
 * @param rollMs age at which segments are rolled
 * @param crashEveryMs mean time between crashes; 0 for none
 */
record Swarm(
    int partitions,
    int writers,
    boolean sharedIds,
    boolean implicitAdd,
    int rollMs,
    int crashEveryMs,
    SimTransport.Weather weather) {

  static Swarm of(SimEntropy seeded) {
    SimEntropy entropy = seeded.named("swarm");
    return new Swarm(
        1 + entropy.nextInt(3),
        1 + entropy.nextInt(4),
        entropy.nextInt(3) == 0,
        entropy.nextInt(2) == 0,
        entropy.nextInt(2) == 0 ? 3_600_000 : 500 + entropy.nextInt(5_000),
        entropy.nextInt(4) == 0 ? 0 : 2_000 + entropy.nextInt(20_000),
        new SimTransport.Weather(
            entropy.nextInt(40), entropy.nextInt(40), entropy.nextInt(3) * entropy.nextInt(40)));
  }
}
