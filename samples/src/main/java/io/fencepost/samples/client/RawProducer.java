package io.fencepost.samples.client;

import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.InitProducerIdRequest;
import io.fencepost.broker.wire.message.InitProducerIdResponse;
import io.fencepost.broker.wire.message.ProduceRequest;
import io.fencepost.broker.wire.message.ProduceResponse;
import io.fencepost.testkit.net.RawClient;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.common.KafkaException;

/**
 * An idempotent producer whose every batch is made by hand: one record, the sequence as asked, and
 * no retry but those that its user makes.
 */
public record RawProducer(long producerId, short epoch) {
  private static final short INIT_VERSION = 4;
  private static final short PRODUCE_VERSION = 9;
  private static final short ACKS_ALL = -1;
  private static final int TIMEOUT_MS = 10_000;
  private static final long TIMESTAMP = 1_000;

  /** What a batch was answered; the offset is -1 unless it was accepted. */
  public record Answer(WireError error, long offset) {
    @Override
    public String toString() {
      return error == WireError.NONE ? "acknowledged, offset " + offset : error.toString();
    }
  }

  /** A producer with a producer id of its own. */
  public static RawProducer init(RawClient client) {
    InitProducerIdRequest request = new InitProducerIdRequest();
    request.transactionalId = null;
    request.transactionTimeoutMs = TIMEOUT_MS;
    InitProducerIdResponse response =
        client.call(ApiKey.INIT_PRODUCER_ID, INIT_VERSION, request, InitProducerIdResponse.class);
    if (response.errorCode != 0) {
      throw new KafkaException("InitProducerId answered " + WireError.of(response.errorCode));
    }
    return new RawProducer(response.producerId, response.producerEpoch);
  }

  /** Sends one record with acks=all to partition 0 of a topic, and waits for the answer. */
  public Answer send(RawClient client, String topic, int sequence, String value) {
    ProduceRequest.PartitionProduceData partition = new ProduceRequest.PartitionProduceData();
    partition.records =
        Bytes.of(
            BatchWriter.at(0)
                .producer(producerId, epoch, sequence)
                .add(TIMESTAMP, null, value.getBytes(StandardCharsets.UTF_8))
                .build());
    ProduceRequest.TopicProduceData data = new ProduceRequest.TopicProduceData();
    data.name = topic;
    data.partitionData = List.of(partition);
    ProduceRequest request = new ProduceRequest();
    request.acks = ACKS_ALL;
    request.timeoutMs = TIMEOUT_MS;
    request.topicData = List.of(data);
    ProduceResponse.PartitionProduceResponse answer =
        client
            .call(ApiKey.PRODUCE, PRODUCE_VERSION, request, ProduceResponse.class)
            .responses
            .get(0)
            .partitionResponses
            .get(0);
    return new Answer(WireError.of(answer.errorCode), answer.baseOffset);
  }
}
