package io.fencepost.samples.cli;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.RequestHeader;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.WireWriter;
import io.fencepost.broker.wire.message.FetchRequest;
import io.fencepost.broker.wire.message.FindCoordinatorRequest;
import io.fencepost.broker.wire.message.JoinGroupRequest;
import io.fencepost.broker.wire.message.ListOffsetsRequest;
import io.fencepost.broker.wire.message.ProduceRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.zip.GZIPOutputStream;

/** Requests that no well-behaved client sends, with their lengths in front. */
final class HostileFrames {
  static final int PRODUCE_VERSION = 9;
  private static final int FETCH_VERSION = 11;
  private static final int FIND_COORDINATOR_VERSION = 2;
  private static final int JOIN_GROUP_VERSION = 3;
  private static final int LIST_OFFSETS_VERSION = 5;
  private static final short GZIP = 1;
  private static final int LENGTH_AT = 8;
  private static final int CRC_AT = 17;
  private static final int ATTRIBUTES_AT = 21;

  private HostileFrames() {}

  static byte[] announced(int length) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(length).array();
  }

  static byte[] of(ApiKey api, int version, WireMessage request) {
    WireWriter out = new WireWriter();
    new RequestHeader(api.id(), version, 1, "hostile").write(out);
    request.write(out, version);
    return framed(out.toBuffer());
  }

  /** A header and any bytes. */
  static byte[] of(ApiKey api, int version, byte[] body) {
    WireWriter out = new WireWriter();
    new RequestHeader(api.id(), version, 1, "hostile").write(out);
    ByteBuffer head = out.toBuffer();
    ByteBuffer whole = ByteBuffer.allocate(head.remaining() + body.length);
    return framed(whole.put(head).put(body).flip());
  }

  private static byte[] framed(ByteBuffer content) {
    ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + content.remaining());
    return frame.putInt(content.remaining()).put(content).array();
  }

  /** A full fetch that asks for a session. */
  static byte[] fetch(String name, int partitions, int maxWaitMs) {
    FetchRequest.FetchTopic topic = new FetchRequest.FetchTopic();
    topic.topic = name;
    topic.topicId = Uuid.ZERO;
    for (int i = 0; i < partitions; i++) {
      FetchRequest.FetchPartition wish = new FetchRequest.FetchPartition();
      wish.partition = i;
      wish.partitionMaxBytes = Integer.MAX_VALUE;
      topic.partitions.add(wish);
    }
    FetchRequest request = new FetchRequest();
    request.maxWaitMs = maxWaitMs;
    request.minBytes = maxWaitMs;
    request.sessionEpoch = 0;
    request.topics.add(topic);
    return of(ApiKey.FETCH, FETCH_VERSION, request);
  }

  static byte[] timeLookUp(String name) {
    ListOffsetsRequest.ListOffsetsPartition wish = new ListOffsetsRequest.ListOffsetsPartition();
    wish.timestamp = System.currentTimeMillis();
    ListOffsetsRequest.ListOffsetsTopic topic = new ListOffsetsRequest.ListOffsetsTopic();
    topic.name = name;
    topic.partitions.add(wish);
    ListOffsetsRequest request = new ListOffsetsRequest();
    request.replicaId = -1;
    request.topics.add(topic);
    return of(ApiKey.LIST_OFFSETS, LIST_OFFSETS_VERSION, request);
  }

  static byte[] produce(String name, ByteBuffer batch, String transactionalId) {
    ProduceRequest.PartitionProduceData data = new ProduceRequest.PartitionProduceData();
    data.records = Bytes.of(batch);
    ProduceRequest.TopicProduceData topic = new ProduceRequest.TopicProduceData();
    topic.name = name;
    topic.partitionData.add(data);
    ProduceRequest request = new ProduceRequest();
    request.acks = -1;
    request.timeoutMs = 10_000;
    request.transactionalId = transactionalId;
    request.topicData.add(topic);
    return of(ApiKey.PRODUCE, PRODUCE_VERSION, request);
  }

  /** The first one to be asked makes the log that the coordinators need. */
  static byte[] findCoordinator(String group) {
    FindCoordinatorRequest request = new FindCoordinatorRequest();
    request.key = group;
    return of(ApiKey.FIND_COORDINATOR, FIND_COORDINATOR_VERSION, request);
  }

  /** A new member that tells so many bytes of itself. */
  static byte[] join(String group, int metadataBytes) {
    JoinGroupRequest.JoinGroupRequestProtocol protocol =
        new JoinGroupRequest.JoinGroupRequestProtocol();
    protocol.name = "range";
    protocol.metadata = new byte[metadataBytes];
    JoinGroupRequest request = new JoinGroupRequest();
    request.groupId = group;
    request.protocolType = "consumer";
    request.sessionTimeoutMs = 6_000;
    request.rebalanceTimeoutMs = 6_000;
    request.protocols.add(protocol);
    return of(ApiKey.JOIN_GROUP, JOIN_GROUP_VERSION, request);
  }

  static ByteBuffer batch(int valueBytes) {
    return BatchWriter.at(0)
        .add(System.currentTimeMillis(), new byte[1], new byte[valueBytes])
        .build();
  }

  /** One record of zeros that takes a thousandth of its size. */
  static ByteBuffer bomb(int valueMb) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    byte[] megabyte = new byte[1 << 20];
    // The length of a value of so many bytes, and what stands in front of it, are five bytes each.
    long valueBytes = (long) valueMb << 20;
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(varint(valueBytes + 11));
      out.write(new byte[] {0, 0, 0, 2, 'k'});
      out.write(varint(valueBytes));
      for (int i = 0; i < valueMb; i++) {
        out.write(megabyte);
      }
      out.write(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    ByteBuffer plain = batch(1);
    ByteBuffer bomb = ByteBuffer.allocate(BatchView.HEADER_BYTES + packed.size());
    bomb.put(plain.limit(BatchView.HEADER_BYTES)).put(packed.toByteArray()).flip();
    bomb.putInt(LENGTH_AT, bomb.limit() - BatchView.PREFIX_BYTES).putShort(ATTRIBUTES_AT, GZIP);
    return bomb.putInt(CRC_AT, (int) new BatchView().wrap(bomb, 0).computeCrc());
  }

  /** In five bytes, though fewer might do. */
  private static byte[] varint(long value) {
    byte[] bytes = new byte[5];
    long rest = value << 1;
    for (int i = 0; i < 5; i++) {
      bytes[i] = (byte) ((rest & 0x7F) | (i < 4 ? 0x80 : 0));
      rest >>>= 7;
    }
    return bytes;
  }
}
