package io.fencepost.testkit.net;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.WireException;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.message.FetchRequest;
import io.fencepost.broker.wire.message.SaslHandshakeResponse;
import io.fencepost.testkit.fault.Decision;
import io.fencepost.testkit.fault.FaultAction;
import io.fencepost.testkit.fault.Fired;
import io.fencepost.testkit.fault.wire.ErrorAnswers;
import io.fencepost.testkit.net.AnswerQueue.Fate;
import io.fencepost.testkit.net.AnswerQueue.Slot;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection through the proxy, frame by frame; one thread for each direction. Answers
 * keep the order of their requests, those of the proxy included.
 */
final class FaultConnection {
  private static final Logger log = LoggerFactory.getLogger(FaultProxy.class);
  private static final String NO_SASL =
      "none: the fault proxy has to read what passes, use security.protocol=PLAINTEXT";
  private static final int SESSION_SINCE = 7;

  private final FaultProxy proxy;
  private final Endpoint broker;
  private final Socket client;
  private final Socket upstream;
  private final AnswerQueue answers;
  private final OutputStream toBroker;
  private final CountDownLatch gone = new CountDownLatch(1);
  private volatile boolean isAnswered;

  FaultConnection(FaultProxy proxy, Endpoint broker, Socket client, Socket upstream)
      throws IOException {
    this.proxy = proxy;
    this.broker = broker;
    this.client = client;
    this.upstream = upstream;
    this.answers = new AnswerQueue(client.getOutputStream());
    this.toBroker = upstream.getOutputStream();
  }

  /** Runs until the client hangs up, or a fault ends what is read of it. */
  void forwardRequests() {
    try {
      InputStream in = client.getInputStream();
      boolean goesOn = true;
      while (goesOn) {
        goesOn = forward(ProxiedRequest.read(Frames.read(in)));
      }
    } catch (Frames.NoFrameException e) {
      drop("client " + client.getRemoteSocketAddress() + " sent " + e.getMessage());
    } catch (WireException e) {
      drop("client " + client.getRemoteSocketAddress() + " sent no request: " + e.getMessage());
    } catch (IOException e) {
      hangUp();
    }
  }

  /** Whether the next request is to be read. */
  private boolean forward(ProxiedRequest request) throws IOException {
    ApiKey api = request.api();
    if (api == null || request.message() == null) {
      log.warn(
          "{} from {} can't be read, so it passes to {} untouched",
          request,
          client.getRemoteSocketAddress(),
          broker);
      return pass(request, Fate.PASS, 0);
    }
    if (api == ApiKey.SASL_HANDSHAKE) {
      return refuseSasl(request, api);
    }
    WireMessage message = request.message();
    WireMessage whole =
        message instanceof FetchRequest fetch ? proxy.sessions().whole(broker, fetch) : message;
    Decision decision = proxy.decide(request, api, whole, broker);
    decision.acts().forEach(proxy::act);
    Fired change = decision.change();
    return change == null
        ? pass(request, Fate.PASS, 0)
        : change(request, api, whole, change.action());
  }

  private boolean change(
      ProxiedRequest request, ApiKey api, WireMessage message, FaultAction action)
      throws IOException {
    switch (action.kind()) {
      case REQUEST_LOST:
        return cut(request);
      case ANSWER_LOST:
        return loseAnswer(request);
      case DELAYED:
        return pass(request, Fate.PASS, action.duration().toMillis());
      case DUPLICATED:
        pass(request, Fate.PASS, 0);
        return pass(request, Fate.DROP, 0);
      case ANSWERED:
        return refuse(request, api, message, action.answer());
      default:
        throw new IllegalStateException(action + " is nothing to do to a request");
    }
  }

  /** A place for the answer first, as the broker may be fast. */
  private boolean pass(ProxiedRequest request, Fate fate, long delayMs) throws IOException {
    if (!request.isUnanswered()) {
      answers.expect(request, fate, delayMs);
    }
    Frames.write(toBroker, request.frame());
    return true;
  }

  /** What came before it is answered; what comes after it is not read. */
  private boolean cut(ProxiedRequest request) throws IOException {
    answer(answers.expect(request, Fate.CUT, 0), null);
    return false;
  }

  private boolean loseAnswer(ProxiedRequest request) throws IOException {
    pass(request, Fate.CUT, 0);
    if (request.isUnanswered()) {
      upstream.shutdownOutput();
      cut(request);
    }
    return false;
  }

  private boolean refuse(ProxiedRequest request, ApiKey api, WireMessage message, WireError error)
      throws IOException {
    if (request.isUnanswered()) {
      // A broker says that such a batch was refused by hanging up.
      return cut(request);
    }
    WireMessage answer = ErrorAnswers.answer(api, request.version(), message, error);
    if (answer == null) {
      throw new IllegalStateException("an answer to " + request + " has no place for " + error);
    }
    answer(answers.expect(request, Fate.PASS, 0), request.answer(api, answer));
    return true;
  }

  private boolean refuseSasl(ProxiedRequest request, ApiKey api) throws IOException {
    log.warn(
        "client {} asks for SASL: the proxy has to read what passes, so it needs"
            + " security.protocol=PLAINTEXT on both sides",
        client.getRemoteSocketAddress());
    SaslHandshakeResponse refusal = new SaslHandshakeResponse();
    refusal.errorCode = WireError.UNSUPPORTED_SASL_MECHANISM.code();
    refusal.mechanisms.add(NO_SASL);
    answer(answers.expect(request, Fate.PASS, 0), request.answer(api, refusal));
    return true;
  }

  /** Runs until the broker hangs up, or the connection is cut. */
  void forwardAnswers() {
    try {
      InputStream in = upstream.getInputStream();
      while (true) {
        forwardAnswer(Frames.read(in));
      }
    } catch (Frames.NoFrameException e) {
      drop("broker " + broker + " sent " + e.getMessage());
    } catch (WireException e) {
      drop("broker " + broker + " sent an answer that can't be read: " + e.getMessage());
    } catch (IOException e) {
      end();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      close();
    }
  }

  private void forwardAnswer(ByteBuffer answer) throws IOException, InterruptedException {
    Slot slot = answers.owed();
    int correlationId = answer.getInt(0);
    isAnswered = true;
    if (slot == null || slot.request().header().correlationId() != correlationId) {
      throw new WireException(
          "number "
              + correlationId
              + (slot == null ? " where none is due" : " where " + slot.request() + " is due"));
    }
    if (slot.delayMs() > 0 && gone.await(slot.delayMs(), TimeUnit.MILLISECONDS)) {
      return;
    }
    answer(slot, slot.fate() == Fate.PASS ? rewritten(slot.request(), answer) : null);
  }

  private ByteBuffer rewritten(ProxiedRequest request, ByteBuffer answer) {
    ApiKey api = request.api();
    proxy.onAnswer();
    if (api == null) {
      return answer;
    }
    if (request.message() instanceof FetchRequest fetch && request.version() >= SESSION_SINCE) {
      learnSession(fetch, api.responseHeaderVersion(request.version()), answer);
    }
    return proxy.rewriter().rewrite(api, request.version(), answer);
  }

  /** Behind the header stand throttle time, error and the session that a first fetch opened. */
  private void learnSession(FetchRequest fetch, int headerVersion, ByteBuffer answer) {
    int position = Integer.BYTES + headerVersion + Integer.BYTES + Short.BYTES;
    if (fetch.sessionEpoch == 0 && answer.remaining() >= position + Integer.BYTES) {
      int sessionId = answer.getInt(position);
      if (sessionId != 0) {
        proxy.sessions().opened(broker, sessionId, fetch);
      }
    }
  }

  private void answer(Slot slot, @Nullable ByteBuffer answer) throws IOException {
    if (answers.fill(slot, answer)) {
      close();
    }
  }

  /** The client has no more requests; what the broker still owes it may come. */
  private void hangUp() {
    if (answers.owedCount() == 0) {
      close();
      return;
    }
    try {
      upstream.shutdownOutput();
    } catch (IOException e) {
      close();
    }
  }

  private void end() {
    if (gone.getCount() > 0 && !isAnswered && answers.owedCount() > 0) {
      log.warn(
          "broker {} hung up without a word to {}: if it listens with TLS or SASL, give the proxy"
              + " a PLAINTEXT listener",
          broker,
          answers.owed() == null ? "" : answers.owed().request());
    }
    close();
  }

  private void drop(String why) {
    if (gone.getCount() > 0) {
      log.warn("{}; this connection is closed", why);
    }
    close();
  }

  void close() {
    gone.countDown();
    proxy.forget(client, upstream);
  }
}
