package io.fencepost.testkit.sim;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.testkit.fault.FaultAction;
import io.fencepost.testkit.fault.FaultFacts;
import io.fencepost.testkit.fault.FaultKind;
import io.fencepost.testkit.history.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The calls of one client of a scene, made again until they have a final answer. */
final class SceneCall {
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  private final Scene scene;
  private final String name;
  private SimClient client;

  SceneCall(Scene scene, String name) {
    this.scene = scene;
    this.name = name;
    this.client = scene.client(name);
  }

  /**
   * What came of it.
   *
   * @param error null if there was no answer to the last try
   * @param isDoubtful whether some try may have done what no answer tells
   */
  record Done(@Nullable WireError error, @Nullable WireMessage response, boolean isDoubtful) {
    boolean isOk() {
      return error == WireError.NONE;
    }

    Outcome outcome() {
      if (isOk()) {
        return Outcome.OK;
      }
      return error == null || isDoubtful ? Outcome.UNKNOWN : Outcome.FAILED;
    }

    String why() {
      return error == null ? "no answer" : error.name();
    }
  }

  Done ask(ApiKey api, int version, WireMessage request, Function<WireMessage, WireError> errorOf) {
    return ask(api, version, request, errorOf, FaultFacts.NONE);
  }

  /** The plan hears of each try. */
  Done ask(
      ApiKey api,
      int version,
      WireMessage request,
      Function<WireMessage, WireError> errorOf,
      FaultFacts facts) {
    boolean isDoubtful = false;
    WireError error = null;
    long end = scene.nowNanos() + PATIENCE_NANOS;
    while (scene.nowNanos() < end) {
      FaultAction change = scene.passWire(api, facts);
      FaultKind kind = change == null ? null : change.kind();
      if (kind == FaultKind.ANSWERED && change != null) {
        return new Done(change.answer(), null, isDoubtful);
      }
      WireMessage response = kind == FaultKind.REQUEST_LOST ? null : once(api, version, request);
      if (kind == FaultKind.DUPLICATED) {
        once(api, version, request);
      }
      if (kind == FaultKind.ANSWER_LOST) {
        response = null;
      }
      error = response == null ? null : errorOf.apply(response);
      if (error != null && !error.isRetriable()) {
        return new Done(error, response, isDoubtful);
      }
      isDoubtful = true;
      scene.runFor(Scene.retryMs());
    }
    scene.trouble(name + " never got an answer to " + api + ", the last one was " + error);
    return new Done(null, null, true);
  }

  /** One try; null if there is no answer. */
  @Nullable WireMessage once(ApiKey api, int version, WireMessage request) {
    List<Optional<WireMessage>> answers = new ArrayList<>();
    client.call(api, version, request, answer -> answers.add(Optional.ofNullable(answer)));
    if (!scene.await(answers)) {
      client = scene.client(name);
      return null;
    }
    return answers.get(0).orElse(null);
  }
}
