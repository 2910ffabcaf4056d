package io.fencepost.broker.cluster;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.Uuid;
import java.util.List;
import java.util.SortedMap;

/**
 * A leader's wish for other replicas in sync, or (without itself in wanted) to be relieved.
 *
 * @param leaderEpoch the one that it leads in
 * @param expected the replicas in sync as the leader knows them, in any order
 * @param wanted the replicas in sync from now on; without the leader it asks to be relieved
 * @param brokerEpochs of those that join: what they had when they fetched (KIP-903)
 */
public record IsrChange(
    TopicPartition partition,
    Uuid topicId,
    int leaderEpoch,
    List<Integer> expected,
    List<Integer> wanted,
    SortedMap<Integer, Long> brokerEpochs) {}
