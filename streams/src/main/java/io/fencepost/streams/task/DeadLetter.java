package io.fencepost.streams.task;

import io.fencepost.streams.Origin;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * The record that carries an input which could not be processed: same bytes, and headers that say
 * why.
 */
public final class DeadLetter {
  public static final String SOURCE_TOPIC = "fencepost.source.topic";
  public static final String SOURCE_PARTITION = "fencepost.source.partition";
  public static final String SOURCE_OFFSET = "fencepost.source.offset";
  public static final String JOB = "fencepost.job";
  public static final String REASON = "fencepost.reason";
  public static final String EXCEPTION = "fencepost.exception";

  private record TextHeader(String key, String text) implements Header {
    @Override
    public byte[] value() {
      return text.getBytes(StandardCharsets.UTF_8);
    }
  }

  private DeadLetter() {}

  static Gateway.Output of(
      String topic,
      String job,
      ConsumerRecord<byte[], byte[]> input,
      String reason,
      @Nullable Throwable error) {
    List<Header> headers = new ArrayList<>();
    input.headers().forEach(headers::add);
    explain(headers, job, origin(input), reason, error);
    return new Gateway.Output(
        topic, input.key(), input.value(), Math.max(0, input.timestamp()), headers);
  }

  /**
   * In the place of a timer or window: its key, the window's aggregate as value, the operator as
   * topic and its time as offset.
   */
  static Gateway.Output of(
      String topic, String job, Due due, Origin origin, String reason, Throwable error) {
    List<Header> headers = new ArrayList<>();
    explain(headers, job, origin, reason, error);
    return new Gateway.Output(topic, due.key(), due.value(), Math.max(0, due.timeMs()), headers);
  }

  private static void explain(
      List<Header> headers, String job, Origin origin, String reason, @Nullable Throwable error) {
    headers.add(new TextHeader(JOB, job));
    headers.add(new TextHeader(SOURCE_TOPIC, origin.topic()));
    headers.add(new TextHeader(SOURCE_PARTITION, String.valueOf(origin.partition())));
    headers.add(new TextHeader(SOURCE_OFFSET, String.valueOf(origin.offset())));
    headers.add(new TextHeader(REASON, reason));
    if (error != null) {
      headers.add(new TextHeader(EXCEPTION, error.toString()));
    }
  }

  static Origin origin(ConsumerRecord<byte[], byte[]> input) {
    return new Origin(input.topic(), input.partition(), input.offset());
  }
}
