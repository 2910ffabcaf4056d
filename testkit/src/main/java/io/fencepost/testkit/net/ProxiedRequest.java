package io.fencepost.testkit.net;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.RequestHeader;
import io.fencepost.broker.wire.ResponseHeader;
import io.fencepost.broker.wire.WireException;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.WireReader;
import io.fencepost.broker.wire.WireWriter;
import io.fencepost.broker.wire.message.ProduceRequest;
import java.nio.ByteBuffer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A request as far as it can be read.
 *
 * @param api null if it is none that we know in that version
 * @param message null if it can't be read
 */
record ProxiedRequest(
    ByteBuffer frame, RequestHeader header, @Nullable ApiKey api, @Nullable WireMessage message) {
  private static final long MESSAGE_MAX_BYTES = 256L << 20;

  /**
   * Reads a frame.
   *
   * @throws WireException if not even the header is one
   */
  static ProxiedRequest read(ByteBuffer frame) {
    WireReader in = new WireReader(frame.duplicate(), claims());
    RequestHeader header = RequestHeader.read(in);
    ApiKey api = header.apiKey();
    if (api == null || !api.isValid(header.apiVersion())) {
      return new ProxiedRequest(frame, header, null, null);
    }
    try {
      return new ProxiedRequest(frame, header, api, api.readRequest(in, header.apiVersion()));
    } catch (WireException e) {
      return new ProxiedRequest(frame, header, api, null);
    }
  }

  /** A few bytes can announce many elements: each message may take so much memory, and no more. */
  private static LongPredicate claims() {
    long[] taken = new long[1];
    return sizeBytes -> (taken[0] += sizeBytes) <= MESSAGE_MAX_BYTES;
  }

  int version() {
    return header.apiVersion();
  }

  /** Whether the broker will say nothing to it. */
  boolean isUnanswered() {
    return message instanceof ProduceRequest produce && produce.acks == 0;
  }

  /** A frame that answers it. */
  ByteBuffer answer(ApiKey known, WireMessage answer) {
    WireWriter out = new WireWriter();
    new ResponseHeader(header.correlationId()).write(out, known.responseHeaderVersion(version()));
    answer.write(out, version());
    return out.toBuffer();
  }

  @Override
  public String toString() {
    return (api == null ? "request " + header.apiId() : api.apiName()) + " version " + version();
  }
}
