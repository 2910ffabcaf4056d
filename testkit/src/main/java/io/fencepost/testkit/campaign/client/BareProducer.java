package io.fencepost.testkit.campaign.client;

import io.fencepost.broker.batch.BatchWriter;
import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.InitProducerIdRequest;
import io.fencepost.broker.wire.message.InitProducerIdResponse;
import io.fencepost.broker.wire.message.ProduceRequest;
import io.fencepost.broker.wire.message.ProduceResponse;
import io.fencepost.testkit.history.Outcome;
import io.fencepost.testkit.net.Endpoint;
import io.fencepost.testkit.net.RawClient;
import io.fencepost.txn.txn.ProducerIdentity;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Sends batches of one record to a partition under a sequence that its caller says: no client would
 * repeat one that was answered. It asks again until there is an answer. One thread.
 */
final class BareProducer implements AutoCloseable {
  private static final int PRODUCE_VERSION = 9;
  private static final int INIT_VERSION = 4;
  private static final int TIMEOUT_MS = 1_500;
  private static final long RETRY_MS = 100;
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  private final Admin admin;
  private final TopicPartition partition;

  /**
   * What came of a batch.
   *
   * @param offset of its record; -1 if it is not told
   */
  record Answer(Outcome outcome, long offset, String why) {
    private static final Answer NONE = new Answer(Outcome.UNKNOWN, -1, "no answer");
  }

  BareProducer(Clients clients, TopicPartition partition) {
    this.admin = clients.admin();
    this.partition = partition;
  }

  /** Null if no broker gives one for long. */
  @Nullable ProducerIdentity newIdentity() {
    InitProducerIdRequest request = new InitProducerIdRequest();
    request.transactionalId = null;
    request.transactionTimeoutMs = TIMEOUT_MS;
    request.producerId = -1;
    request.producerEpoch = -1;
    return ask(
        broker -> {
          InitProducerIdResponse answer =
              broker.call(
                  ApiKey.INIT_PRODUCER_ID, INIT_VERSION, request, InitProducerIdResponse.class);
          return answer.errorCode == 0
              ? new ProducerIdentity(answer.producerId, answer.producerEpoch)
              : null;
        });
  }

  Answer send(ProducerIdentity producer, int sequence, String key, String value) {
    ByteBuffer batch =
        BatchWriter.at(0)
            .producer(producer.producerId(), producer.epoch(), sequence)
            .add(System.currentTimeMillis(), bytes(key), bytes(value))
            .build();
    Answer answer = ask(broker -> answer(broker, batch));
    return answer == null ? Answer.NONE : answer;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Null if it is to be sent again. */
  private @Nullable Answer answer(RawClient broker, ByteBuffer batch) {
    ProduceRequest.PartitionProduceData data = new ProduceRequest.PartitionProduceData();
    data.index = partition.partition();
    data.records = Bytes.of(batch.duplicate());
    ProduceRequest.TopicProduceData topic = new ProduceRequest.TopicProduceData();
    topic.name = partition.topic();
    topic.partitionData.add(data);
    ProduceRequest request = new ProduceRequest();
    request.acks = -1;
    request.timeoutMs = TIMEOUT_MS / 2;
    request.topicData.add(topic);
    ProduceResponse.PartitionProduceResponse answer =
        broker
            .call(ApiKey.PRODUCE, PRODUCE_VERSION, request, ProduceResponse.class)
            .responses
            .get(0)
            .partitionResponses
            .get(0);
    WireError error = WireError.of(answer.errorCode);
    if (error.isRetriable()) {
      return null;
    }
    boolean isTaken = error == WireError.NONE || error == WireError.DUPLICATE_SEQUENCE_NUMBER;
    return new Answer(
        isTaken ? Outcome.OK : Outcome.FAILED,
        error == WireError.NONE ? answer.baseOffset : -1,
        error.name());
  }

  /** Asks the partition's leader until the question has an answer, or patience is over. */
  private <R> @Nullable R ask(Function<RawClient, @Nullable R> question) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() - end < 0) {
      Node leader = leader();
      if (leader != null) {
        Endpoint endpoint = new Endpoint(leader.host(), leader.port());
        try (RawClient broker = RawClient.connect(endpoint, TIMEOUT_MS)) {
          R answer = question.apply(broker);
          if (answer != null) {
            return answer;
          }
        } catch (UncheckedIOException unreachable) {
          // It is asked again, maybe another one.
          Parking.millis(RETRY_MS);
        }
      }
      Parking.millis(RETRY_MS);
    }
    return null;
  }

  private @Nullable Node leader() {
    try {
      return admin
          .describeTopics(List.of(partition.topic()))
          .allTopicNames()
          .get()
          .values()
          .iterator()
          .next()
          .partitions()
          .get(partition.partition())
          .leader();
    } catch (ExecutionException unknown) {
      return null;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    admin.close(Duration.ZERO);
  }
}
