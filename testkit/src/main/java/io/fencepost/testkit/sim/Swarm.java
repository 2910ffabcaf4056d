package io.fencepost.testkit.sim;

import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.port.sim.SimTransport;

/**
 * What one seed makes of a run: each seed has another mix of faults and another shape, so that many
 * short runs cover more than one long run.
 *
 * @param rollMs age at which segments are rolled
 * @param crashEveryMs mean time between crashes; 0 for none
 * @param diskFaultEveryMs mean time between faults of the disk; 0 for none
 * @param clockStepEveryMs mean time between steps of the wall clock; 0 for none
 * @param pauseMs the longest that a client rests between two calls
 * @param lagMs how long the broker's own tasks may have to wait
 * @param members of a group of the newer protocol
 * @param brokers 1 for one that is alone
 * @param cutEveryMs mean time between cuts in the network of the brokers; 0 for none
 * @param moveEveryMs mean time between moves of a leader; 0 for none
 * @param trustsPageCache whether brokers of a cluster force nothing: what one loses the others have
 */
record Swarm(
    int partitions,
    int writers,
    boolean sharedIds,
    boolean implicitAdd,
    int rollMs,
    int crashEveryMs,
    int diskFaultEveryMs,
    int clockStepEveryMs,
    int pauseMs,
    int lagMs,
    SimTransport.Weather weather,
    int members,
    int brokers,
    int cutEveryMs,
    int moveEveryMs,
    boolean trustsPageCache) {

  static Swarm of(SimEntropy seeded, int brokers) {
    SimEntropy entropy = seeded.named("swarm");
    boolean implicitAdd = entropy.nextInt(2) == 0;
    return new Swarm(
        1 + entropy.nextInt(3),
        1 + entropy.nextInt(4),
        entropy.nextInt(3) == 0,
        implicitAdd,
        entropy.nextInt(2) == 0 ? 3_600_000 : 500 + entropy.nextInt(5_000),
        entropy.nextInt(4) == 0 ? 0 : 2_000 + entropy.nextInt(20_000),
        entropy.nextInt(2) == 0 ? 0 : 500 + entropy.nextInt(10_000),
        entropy.nextInt(3) != 0 ? 0 : 500 + entropy.nextInt(10_000),
        entropy.nextInt(3) == 0 ? 20 : 300,
        entropy.nextInt(2) == 0 ? 0 : entropy.nextInt(30),
        new SimTransport.Weather(
            entropy.nextInt(40),
            entropy.nextInt(40),
            entropy.nextInt(3) * entropy.nextInt(40),
            // A late EndTxn without an epoch of its own ends the next transaction: what KIP-890
            // part 2 is for.
            implicitAdd ? entropy.nextInt(3) * entropy.nextInt(20) : 0),
        entropy.nextInt(4),
        brokers,
        brokers == 1 || entropy.nextInt(4) == 0 ? 0 : 500 + entropy.nextInt(8_000),
        brokers == 1 || entropy.nextInt(4) == 0 ? 0 : 500 + entropy.nextInt(8_000),
        brokers > 1 && entropy.nextInt(2) == 0);
  }
}
