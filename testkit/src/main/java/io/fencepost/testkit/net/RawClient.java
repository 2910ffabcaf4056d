package io.fencepost.testkit.net;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.RequestHeader;
import io.fencepost.broker.wire.ResponseHeader;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.WireReader;
import io.fencepost.broker.wire.WireWriter;
import io.fencepost.broker.wire.message.FetchRequest;
import io.fencepost.broker.wire.message.FetchResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * One connection that sends exactly the request it is given: stale epochs, repeated sequences,
 * whatever a well-behaved client would not. Blocking, not thread safe.
 */
public final class RawClient implements AutoCloseable {
  private static final int TIMEOUT_MS = 30_000;
  private static final int FETCH_VERSION = 11;
  private static final int FETCH_BYTES = 1 << 20;

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;
  private int nextCorrelationId;

  private RawClient(Socket socket) throws IOException {
    this.socket = socket;
    this.in = socket.getInputStream();
    this.out = socket.getOutputStream();
  }

  /** Connects to one broker. */
  public static RawClient connect(Endpoint broker) {
    return connect(broker, TIMEOUT_MS);
  }

  /** Connects to one broker, and waits so long for it and for each answer. */
  public static RawClient connect(Endpoint broker, int timeoutMs) {
    Socket socket = new Socket();
    try {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(timeoutMs);
      socket.connect(new InetSocketAddress(broker.host(), broker.port()), timeoutMs);
      return new RawClient(socket);
    } catch (IOException e) {
      FaultProxy.closeQuietly(socket);
      throw new UncheckedIOException("cannot connect to " + broker, e);
    }
  }

  /** Sends a request in that version and waits for its answer. */
  public <R extends WireMessage> R call(
      ApiKey api, int version, WireMessage request, Class<R> answer) {
    int correlationId = nextCorrelationId++;
    WireWriter frame = new WireWriter();
    new RequestHeader(api.id(), version, correlationId, "raw-client").write(frame);
    request.write(frame, version);
    try {
      Frames.write(out, frame.toBuffer());
      WireReader reader = new WireReader(Frames.read(in));
      ResponseHeader header = ResponseHeader.read(reader, api.responseHeaderVersion(version));
      if (header.correlationId() != correlationId) {
        throw new IOException(
            "answer " + header.correlationId() + " instead of " + correlationId + " to " + api);
      }
      return answer.cast(api.readResponse(reader, version));
    } catch (IOException e) {
      throw new UncheckedIOException(api + " version " + version + " got no answer", e);
    }
  }

  /**
   * Asks for what stands in a partition from an offset on, as its leader gives it out; at most 1
   * MiB, or one batch that is larger.
   *
   * @param isolationLevel 0 for all records, 1 for those of committed transactions
   * @param waitMs how long to wait if nothing stands there
   */
  public FetchResponse.PartitionData fetch(
      TopicPartition from, long offset, byte isolationLevel, int waitMs) {
    FetchRequest.FetchPartition partition = new FetchRequest.FetchPartition();
    partition.partition = from.partition();
    partition.fetchOffset = offset;
    partition.partitionMaxBytes = FETCH_BYTES;
    FetchRequest.FetchTopic topic = new FetchRequest.FetchTopic();
    topic.topic = from.topic();
    topic.partitions.add(partition);
    FetchRequest request = new FetchRequest();
    request.maxWaitMs = waitMs;
    request.minBytes = 1;
    request.maxBytes = FETCH_BYTES;
    request.isolationLevel = isolationLevel;
    request.topics.add(topic);
    return call(ApiKey.FETCH, FETCH_VERSION, request, FetchResponse.class)
        .responses
        .get(0)
        .partitions
        .get(0);
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
