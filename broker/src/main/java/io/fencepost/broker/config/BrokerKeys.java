package io.fencepost.broker.config;

/**
 * Every broker setting that has effect here, with Kafka's name. Defaults are Kafka's, except where
 * they would not fit a single broker: few internal partitions, one replica, no waiting for members.
 */
public final class BrokerKeys {
  /** All of them, by name. */
  public static final ConfigTable TABLE =
      ConfigTable.parse(
          """
          # Identity
          node.id | int | 1 | >= 0 | The id of this broker, unique in its cluster.
          broker.rack | string | - | - | The rack of this broker, as clients see it.
          listeners | list | PLAINTEXT://localhost:9092 | - | Where the broker accepts connections: PLAINTEXT://host:port; port 0 takes any free one.
          advertised.listeners | list | - | - | The address that clients are told, if it differs from listeners.
          log.dirs | list | fencepost-data | - | The directory of this broker (one only).
          # Cluster
          broker.session.timeout.ms | int | 9000 | >= 1 | How long a broker of a cluster may not be heard of before others lead instead.
          broker.heartbeat.interval.ms | int | 2000 | >= 1 | How often a broker of a cluster lets the controller hear of it.
          auto.leader.rebalance.enable | boolean | true | - | Whether leadership goes back to the first replicas once they are in sync.
          leader.imbalance.check.interval.seconds | long | 300 | 1..31536000 | How often leadership is given back.
          # Topics
          num.partitions | int | 1 | >= 1 | Partitions of a topic that is created without saying how many.
          default.replication.factor | int | 1 | >= 1 | Replicas of a topic that is created without saying how many.
          auto.create.topics.enable | boolean | true | - | Whether asking for the metadata of an unknown topic may create it.
          delete.topic.enable | boolean | true | - | Whether topics can be deleted.
          min.insync.replicas | int | 1 | >= 1 | Replicas in sync that acks=all needs.
          unclean.leader.election.enable | boolean | false | - | Whether a replica that is not in sync may lead when no other is left.
          flush | string | group | group,os | What an acknowledged write means: group = on disk, os = in the page cache. Where it is not set, topics with two or more replicas have os.
          # Log
          log.segment.bytes | int | 1073741824 | >= 1048576 | Size at which a segment is closed and a new one begun.
          log.roll.hours | int | 168 | >= 1 | Age at which a segment is closed, in hours.
          log.roll.ms | long | - | >= 1 | Age at which a segment is closed; stronger than log.roll.hours.
          log.roll.jitter.hours | int | 0 | >= 0 | Upper bound of the random part taken off the segment age, in hours.
          log.roll.jitter.ms | long | - | >= 0 | Upper bound of the random part taken off the segment age.
          log.retention.hours | int | 168 | >= -1 | How long records are kept, in hours; -1 for ever.
          log.retention.minutes | int | - | >= -1 | How long records are kept, in minutes; stronger than the hours.
          log.retention.ms | long | - | >= -1 | How long records are kept; stronger than the minutes; -1 for ever.
          log.retention.bytes | long | -1 | >= -1 | Size that a partition may reach before its oldest segments go; -1 without bound.
          log.retention.check.interval.ms | long | 300000 | >= 1 | How often retention is applied.
          log.cleanup.policy | list | delete | delete,compact | Whether old segments are deleted, compacted, or both.
          log.cleaner.enable | boolean | true | - | Whether compacted topics are compacted.
          log.cleaner.backoff.ms | long | 15000 | >= 0 | How long compaction sleeps when nothing is worth compacting.
          log.cleaner.dedupe.buffer.size | long | 16777216 | >= 1 | Memory for the newest offsets of keys while a log is compacted; more keys take several runs.
          log.cleaner.min.cleanable.ratio | double | 0.5 | 0..1 | Share of uncompacted bytes at which a log is compacted.
          log.cleaner.min.compaction.lag.ms | long | 0 | >= 0 | How long a record surely stays uncompacted.
          log.cleaner.max.compaction.lag.ms | long | max | >= 1 | How long a record may stay uncompacted.
          log.cleaner.delete.retention.ms | long | 86400000 | >= 0 | How long a tombstone is kept after compaction.
          log.index.interval.bytes | int | 4096 | >= 0 | Bytes between two entries of the offset index.
          log.index.size.max.bytes | int | 10485760 | >= 4 | Largest size of an offset index.
          log.segment.delete.delay.ms | long | 60000 | >= 0 | How long the file of a deleted segment stays.
          log.flush.interval.messages | long | max | >= 1 | Records after which the log is forced in any case.
          log.flush.interval.ms | long | - | >= 0 | Time after which the log is forced in any case.
          log.preallocate | boolean | false | - | Whether a segment takes its space at once.
          message.max.bytes | int | 1048588 | >= 0 | Largest record batch that is accepted.
          compression.type | string | producer | uncompressed,zstd,lz4,snappy,gzip,producer | Codec of stored batches; producer keeps what was sent.
          compression.gzip.level | int | -1 | >= -1 | Level for gzip.
          compression.lz4.level | int | 9 | >= 1 | Level for lz4.
          compression.zstd.level | int | 3 | >= -131072 | Level for zstd.
          log.message.timestamp.type | string | CreateTime | CreateTime,LogAppendTime | Whose clock stamps records.
          log.message.timestamp.before.max.ms | long | max | >= 0 | How far behind the broker's clock a timestamp may be.
          log.message.timestamp.after.max.ms | long | 3600000 | >= 0 | How far ahead of the broker's clock a timestamp may be.
          # Network
          socket.request.max.bytes | int | 104857600 | >= 1 | Largest request frame; a longer one ends its connection.
          socket.send.buffer.bytes | int | -1 | >= -1 | Send buffer of a socket; -1 leaves it to the system.
          socket.receive.buffer.bytes | int | -1 | >= -1 | Receive buffer of a socket; -1 leaves it to the system.
          socket.listen.backlog.size | int | 50 | >= 1 | Connections that may wait to be accepted.
          queued.max.request.bytes | long | -1 | >= -1 | Memory that requests in flight may hold together, so the largest frame too; -1 takes a quarter of the largest heap.
          connections.max.idle.ms | long | 600000 | >= 1 | Idle connections are closed after this time.
          max.connections | int | 2147483647 | >= 0 | Connections that may be open at once.
          request.timeout.ms | int | 30000 | >= 1 | How long the broker waits where a request names no time, and how long a half-sent frame may take.
          fetch.max.bytes | int | 57671680 | >= 1024 | Largest answer to a fetch, whatever it asks for.
          max.incremental.fetch.session.cache.slots | int | 1000 | >= 0 | Fetch sessions that are remembered.
          replica.lag.time.max.ms | long | 30000 | >= 1 | How long a follower may lag and still count as in sync.
          # Producers
          producer.id.expiration.ms | int | 86400000 | >= 1 | How long the state of an idle producer is kept in a partition.
          producer.id.expiration.check.interval.ms | int | 600000 | >= 1 | How often idle producers are looked for.
          # Transactions
          transaction.max.timeout.ms | int | 900000 | >= 1 | Longest transaction timeout that a producer may ask for.
          transactional.id.expiration.ms | int | 604800000 | >= 1 | How long an idle transactional id is remembered.
          transaction.abort.timed.out.transaction.cleanup.interval.ms | int | 500 | >= 1 | How often timed-out transactions are looked for.
          transaction.remove.expired.transaction.cleanup.interval.ms | int | 3600000 | >= 1 | How often expired transactional ids are looked for.
          transaction.partition.verification.enable | boolean | true | - | Whether a transactional append is checked with its coordinator (always done here).
          transaction.state.log.num.partitions | int | 4 | >= 1 | Partitions of the transaction log, fixed once it exists.
          transaction.state.log.replication.factor | short | 1 | >= 1 | Replicas of the transaction log.
          transaction.state.log.min.isr | int | 1 | >= 1 | Replicas in sync that the transaction log needs.
          transaction.state.log.segment.bytes | int | 104857600 | >= 1 | Segment size of the transaction log.
          # Groups
          offsets.topic.num.partitions | int | 4 | >= 1 | Partitions of the offsets log, fixed once it exists.
          offsets.topic.replication.factor | short | 1 | >= 1 | Replicas of the offsets log.
          offsets.topic.segment.bytes | int | 104857600 | >= 1 | Segment size of the offsets log.
          offsets.retention.minutes | int | 10080 | >= 1 | How long offsets of an empty group are kept, in minutes.
          offsets.retention.check.interval.ms | long | 600000 | >= 1 | How often expired offsets are looked for.
          offset.metadata.max.bytes | int | 4096 | >= 0 | Longest text that may be committed with an offset.
          offsets.commit.timeout.ms | int | 5000 | >= 1 | How long an offset commit may wait for its replicas.
          group.initial.rebalance.delay.ms | int | 0 | >= 0 | How long a new group waits for more members before its first assignment.
          group.min.session.timeout.ms | int | 6000 | >= 1 | Shortest session timeout that a member may ask for.
          group.max.session.timeout.ms | int | 1800000 | >= 1 | Longest session timeout that a member may ask for.
          group.max.size | int | 2147483647 | >= 1 | Most members of a group.
          group.consumer.session.timeout.ms | int | 45000 | >= 1 | Session timeout of members of the newer group protocol.
          group.consumer.min.session.timeout.ms | int | 45000 | >= 1 | Lower bound of the session timeout of a group of the newer protocol.
          group.consumer.max.session.timeout.ms | int | 60000 | >= 1 | Upper bound of the session timeout of a group of the newer protocol.
          group.consumer.heartbeat.interval.ms | int | 5000 | >= 1 | Heartbeat interval of members of the newer group protocol.
          group.consumer.min.heartbeat.interval.ms | int | 5000 | >= 1 | Lower bound of the heartbeat interval of a group of the newer protocol.
          group.consumer.max.heartbeat.interval.ms | int | 15000 | >= 1 | Upper bound of the heartbeat interval of a group of the newer protocol.
          group.consumer.assignors | list | uniform,range | uniform,range | Assignors that members may wish for; the first one is taken without a wish.
          group.consumer.assignment.interval.ms | int | 0 | >= 0 | Least time between two assignments of a group of the newer protocol.
          group.consumer.min.assignment.interval.ms | int | 0 | >= 0 | Lower bound of the assignment interval of a group of the newer protocol.
          group.consumer.max.assignment.interval.ms | int | 15000 | >= 0 | Upper bound of the assignment interval of a group of the newer protocol.
          group.consumer.migration.policy | string | bidirectional | disabled,upgrade,downgrade,bidirectional | Which way a group with members may change its protocol.
          group.consumer.max.size | int | 2147483647 | >= 1 | Most members of a group of the newer protocol.
          """);

  private BrokerKeys() {}
}
