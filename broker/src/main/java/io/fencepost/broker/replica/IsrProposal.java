package io.fencepost.broker.replica;

import io.fencepost.broker.wire.TopicPartition;
import java.util.List;
import java.util.SortedMap;

/**
 * A leader asks the controller for another ISR (KIP-497), or to be relieved of a partition that its
 * disk refuses.
 *
 * @param expected the ISR that the leader knows; another one at the controller refuses this
 * @param wanted without the leader itself if its disk refuses to serve the partition
 * @param brokerEpochs of those that join (KIP-903)
 */
public record IsrProposal(
    TopicPartition topicPartition,
    int leaderEpoch,
    List<Integer> expected,
    List<Integer> wanted,
    SortedMap<Integer, Long> brokerEpochs) {}
