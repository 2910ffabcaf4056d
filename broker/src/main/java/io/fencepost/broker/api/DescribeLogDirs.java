package io.fencepost.broker.api;

import io.fencepost.broker.port.Disk;
import io.fencepost.broker.replica.PartitionGate;
import io.fencepost.broker.replica.Replicas;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.message.DescribeLogDirsRequest;
import io.fencepost.broker.wire.message.DescribeLogDirsRequest.DescribableLogDirTopic;
import io.fencepost.broker.wire.message.DescribeLogDirsResponse;
import io.fencepost.broker.wire.message.DescribeLogDirsResponse.DescribeLogDirsPartition;
import io.fencepost.broker.wire.message.DescribeLogDirsResponse.DescribeLogDirsResult;
import io.fencepost.broker.wire.message.DescribeLogDirsResponse.DescribeLogDirsTopic;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * DescribeLogDirs (key 35), versions 1 to 5: the broker's one directory and the size of each
 * partition in it. Partitions that are not here are left out. The size of the volume is not known
 * (-1).
 *
 * <pre>
 * 2   flexible      3   error code      4   size of the volume      5   cordoned: never
 * </pre>
 */
public final class DescribeLogDirs
    implements ApiHandler<DescribeLogDirsRequest, DescribeLogDirsResponse> {
  private final Replicas replicas;
  private final String directory;

  public DescribeLogDirs(Replicas replicas, Disk disk) {
    this.replicas = replicas;
    this.directory = disk.absolutePath("");
  }

  @Override
  public void handle(
      RequestContext context,
      DescribeLogDirsRequest request,
      Reply<DescribeLogDirsResponse> reply) {
    DescribeLogDirsResult result = new DescribeLogDirsResult();
    result.logDir = directory;
    Map<String, DescribeLogDirsTopic> topics = new LinkedHashMap<>();
    for (PartitionGate gate : replicas.all()) {
      TopicPartition named = gate.topicPartition();
      if (isWanted(named, request.topics)) {
        DescribeLogDirsTopic topic = topics.get(named.topic());
        if (topic == null) {
          topic = new DescribeLogDirsTopic();
          topic.name = named.topic();
          topics.put(named.topic(), topic);
          result.topics.add(topic);
        }
        DescribeLogDirsPartition partition = new DescribeLogDirsPartition();
        partition.partitionIndex = named.partition();
        partition.partitionSize = gate.sizeBytes();
        partition.offsetLag = Math.max(0, gate.logEndOffset() - gate.highWatermark());
        topic.partitions.add(partition);
      }
    }
    DescribeLogDirsResponse response = new DescribeLogDirsResponse();
    response.results.add(result);
    reply.send(response);
  }

  private static boolean isWanted(
      TopicPartition named, @Nullable List<DescribableLogDirTopic> wanted) {
    if (wanted == null) {
      return true;
    }
    for (DescribableLogDirTopic topic : wanted) {
      if (topic.topic.equals(named.topic()) && topic.partitions.contains(named.partition())) {
        return true;
      }
    }
    return false;
  }
}
