package io.fencepost.testkit.net;

import io.fencepost.broker.wire.ApiKey;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** One client's connection through the proxy, frame by frame; one thread for each direction. */
final class ProxyConnection {
  private static final int FRAME_MAX_BYTES = 128 << 20;

  private final CuttingProxy proxy;
  private final Socket client;
  private final Socket upstream;
  private final Map<Integer, Call> calls = new ConcurrentHashMap<>();

  /** A request whose answer is awaited. */
  record Call(ApiKey api, int version) {}

  ProxyConnection(CuttingProxy proxy, Socket client, Socket upstream) {
    this.proxy = proxy;
    this.client = client;
    this.upstream = upstream;
  }

  /** Runs until either side hangs up. */
  void forwardRequests() {
    try (DataInputStream in = new DataInputStream(client.getInputStream())) {
      OutputStream out = upstream.getOutputStream();
      while (true) {
        ByteBuffer frame = readFrame(in);
        ApiKey api = ApiKey.of(frame.getShort(0));
        if (api != null) {
          calls.put(frame.getInt(4), new Call(api, frame.getShort(2)));
        }
        writeFrame(out, frame);
      }
    } catch (IOException e) {
      proxy.forget(client, upstream);
    }
  }

  /** Runs until either side hangs up, or the plan cuts. */
  void forwardAnswers() {
    try (DataInputStream in = new DataInputStream(upstream.getInputStream())) {
      OutputStream out = client.getOutputStream();
      while (true) {
        ByteBuffer answer = readFrame(in);
        Call call = calls.remove(answer.getInt(0));
        if (call != null && proxy.losesAnswer(call)) {
          break;
        }
        writeFrame(out, rewritten(call, answer));
      }
      proxy.forget(client, upstream);
    } catch (IOException e) {
      proxy.forget(client, upstream);
    }
  }

  private ByteBuffer rewritten(@Nullable Call call, ByteBuffer answer) {
    return call == null ? answer : proxy.rewriter().rewrite(call.api(), call.version(), answer);
  }

  /** The next frame without its length; end of stream is an exception too. */
  private static ByteBuffer readFrame(DataInputStream in) throws IOException {
    int sizeBytes = in.readInt();
    if (sizeBytes < Integer.BYTES || sizeBytes > FRAME_MAX_BYTES) {
      throw new IOException("a frame of " + sizeBytes + " bytes");
    }
    byte[] frame = new byte[sizeBytes];
    in.readFully(frame);
    return ByteBuffer.wrap(frame);
  }

  /** One write for length and frame, so that they leave in one packet. */
  private static void writeFrame(OutputStream out, ByteBuffer frame) throws IOException {
    ByteBuffer whole = ByteBuffer.allocate(Integer.BYTES + frame.remaining());
    whole.putInt(frame.remaining()).put(frame.duplicate());
    out.write(whole.array());
  }
}
