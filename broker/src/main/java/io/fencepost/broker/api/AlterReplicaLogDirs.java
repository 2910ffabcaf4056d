package io.fencepost.broker.api;

import io.fencepost.broker.port.Disk;
import io.fencepost.broker.replica.Replicas;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.AlterReplicaLogDirsRequest;
import io.fencepost.broker.wire.message.AlterReplicaLogDirsRequest.AlterReplicaLogDir;
import io.fencepost.broker.wire.message.AlterReplicaLogDirsRequest.AlterReplicaLogDirTopic;
import io.fencepost.broker.wire.message.AlterReplicaLogDirsResponse;
import io.fencepost.broker.wire.message.AlterReplicaLogDirsResponse.AlterReplicaLogDirPartitionResult;
import io.fencepost.broker.wire.message.AlterReplicaLogDirsResponse.AlterReplicaLogDirTopicResult;

/**
 * AlterReplicaLogDirs, v1 to v2: the broker has one directory, so a partition is where it should
 * be, or the directory is unknown (LOG_DIR_NOT_FOUND).
 */
public final class AlterReplicaLogDirs
    implements ApiHandler<AlterReplicaLogDirsRequest, AlterReplicaLogDirsResponse> {
  private final Replicas replicas;
  private final String directory;

  public AlterReplicaLogDirs(Replicas replicas, Disk disk) {
    this.replicas = replicas;
    this.directory = disk.absolutePath("");
  }

  @Override
  public void handle(
      RequestContext context,
      AlterReplicaLogDirsRequest request,
      Reply<AlterReplicaLogDirsResponse> reply) {
    AlterReplicaLogDirsResponse response = new AlterReplicaLogDirsResponse();
    for (AlterReplicaLogDir wanted : request.dirs) {
      for (AlterReplicaLogDirTopic topic : wanted.topics) {
        AlterReplicaLogDirTopicResult result = new AlterReplicaLogDirTopicResult();
        result.topicName = topic.name;
        for (int partition : topic.partitions) {
          AlterReplicaLogDirPartitionResult answer = new AlterReplicaLogDirPartitionResult();
          answer.partitionIndex = partition;
          answer.errorCode = move(wanted.path, topic.name, partition).code();
          result.partitions.add(answer);
        }
        response.results.add(result);
      }
    }
    reply.send(response);
  }

  private WireError move(String path, String topic, int partition) {
    if (!path.equals(directory)) {
      return WireError.LOG_DIR_NOT_FOUND;
    }
    return replicas.find(topic, partition) == null
        ? WireError.UNKNOWN_TOPIC_OR_PARTITION
        : WireError.NONE;
  }
}
