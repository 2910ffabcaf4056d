package io.fencepost.testkit.sim;

import io.fencepost.broker.port.Invariant;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.port.sim.SimTransport;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.RequestHeader;
import io.fencepost.broker.wire.ResponseHeader;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.WireReader;
import io.fencepost.broker.wire.WireWriter;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One connection to the simulated broker with one request under way at a time; connects anew when
 * the last connection ended. Not thread-safe.
 */
final class SimClient {
  private static final long NOBODY_SERVES_MS = 20;

  /** Gets the answer, or null if none will come: then the outcome is unknown. */
  interface Answered {
    void onAnswer(@Nullable WireMessage response);
  }

  private final String name;
  private final Function<WireMessage, SimTransport> route;
  private final Scheduler scheduler;
  private @Nullable SimTransport connectedTo;
  private SimTransport.@Nullable Connection connection;
  private @Nullable Listener listener;
  private @Nullable Call underWay;
  private int correlationId;

  SimClient(String name, SimTransport transport, Scheduler scheduler) {
    this(name, request -> transport, scheduler);
  }

  /**
   * @param route whom to ask
   */
  SimClient(String name, Function<WireMessage, SimTransport> route, Scheduler scheduler) {
    this.name = name;
    this.route = route;
    this.scheduler = scheduler;
  }

  void call(ApiKey key, int version, WireMessage request, Answered answered) {
    Invariant.check(underWay == null, "%s calls %s while a call is under way", name, key);
    SimTransport transport = route.apply(request);
    if (connection != null && connectedTo != transport) {
      connection.close();
      connection = null;
    }
    if (connection == null || !connection.isOpen()) {
      connectedTo = transport;
      listener = new Listener();
      connection = transport.connect(name, listener);
      if (connection == null) {
        var unused = scheduler.after(NOBODY_SERVES_MS, () -> answered.onAnswer(null));
        return;
      }
    }
    underWay = new Call(key, version, ++correlationId, answered);
    WireWriter out = new WireWriter();
    new RequestHeader(key.id(), version, correlationId, name).write(out);
    request.write(out, version);
    connection.send(out.toBuffer());
  }

  private void finish(@Nullable WireMessage response) {
    Call call = underWay;
    underWay = null;
    if (call != null) {
      call.answered.onAnswer(response);
    }
  }

  private record Call(ApiKey key, int version, int correlationId, Answered answered) {}

  private final class Listener implements SimTransport.Client {
    @Override
    public void onAnswer(ByteBuffer frame) {
      Call call = underWay;
      Invariant.check(call != null, "%s got an answer that it did not ask for", name);
      if (call == null) {
        return;
      }
      WireReader in = new WireReader(frame);
      ResponseHeader header = ResponseHeader.read(in, call.key.responseHeaderVersion(call.version));
      Invariant.check(
          header.correlationId() == call.correlationId,
          "answer %d came for request %d",
          header.correlationId(),
          call.correlationId);
      finish(call.key.readResponse(in, call.version));
    }

    @Override
    public void onClosed(String reason) {
      // News of an older connection say nothing about the call that is under way now.
      if (listener == this) {
        connection = null;
        finish(null);
      }
    }
  }
}
