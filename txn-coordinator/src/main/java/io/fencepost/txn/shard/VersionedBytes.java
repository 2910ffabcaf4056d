package io.fencepost.txn.shard;

import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.WireWriter;
import java.nio.ByteBuffer;

/** Keys and values of internal topics: a version in two bytes, then the message in that version. */
public final class VersionedBytes {
  private VersionedBytes() {}

  public static byte[] of(WireMessage message, int version) {
    WireWriter out = new WireWriter();
    message.write(out, version);
    ByteBuffer body = out.toBuffer();
    ByteBuffer whole = ByteBuffer.allocate(Short.BYTES + body.remaining());
    return whole.putShort((short) version).put(body).array();
  }
}
