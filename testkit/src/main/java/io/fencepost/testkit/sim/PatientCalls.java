package io.fencepost.testkit.sim;

import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.testkit.history.Outcome;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Calls as a client makes them: the same request again after a lost answer or a retriable error,
 * until it is answered or the client gives up. Not thread-safe.
 */
final class PatientCalls {
  private static final int GIVE_UP_PER_MILLE = 60;

  private final SimClient client;
  private final Scheduler scheduler;
  private final SimEntropy entropy;
  private final Sim sim;

  PatientCalls(String name, Sim sim) {
    this.client = new SimClient(name, sim.cluster()::route, sim.scheduler());
    this.scheduler = sim.scheduler();
    this.entropy = sim.entropy().named("calls of " + name);
    this.sim = sim;
  }

  /**
   * What came of a call.
   *
   * @param error NONE, the error that ended it, or null after giving up
   * @param response null after giving up
   * @param anyLost whether an attempt had no answer, or one that leaves open what was done, so that
   *     an error does not tell that nothing was done
   */
  record Done(@Nullable WireError error, @Nullable WireMessage response, boolean anyLost) {
    boolean isOk() {
      return error == WireError.NONE;
    }

    boolean isRefused() {
      return error != null && error != WireError.NONE;
    }

    Outcome outcome() {
      if (isOk()) {
        return Outcome.OK;
      }
      return anyLost || error == null ? Outcome.UNKNOWN : Outcome.FAILED;
    }
  }

  void call(
      ApiKey key,
      int version,
      WireMessage request,
      Function<WireMessage, WireError> errorOf,
      Consumer<Done> done) {
    attempt(new Call(key, version, request, errorOf, done), false);
  }

  private record Call(
      ApiKey key,
      int version,
      WireMessage request,
      Function<WireMessage, WireError> errorOf,
      Consumer<Done> done) {}

  private void attempt(Call call, boolean anyLost) {
    client.call(
        call.key,
        call.version,
        call.request,
        response -> {
          WireError error = response == null ? null : call.errorOf.apply(response);
          boolean lost = anyLost || error == null || isDoubtful(error);
          if (error != null && !error.isRetriable()) {
            call.done.accept(new Done(error, response, lost));
          } else if (entropy.oneOf(GIVE_UP_PER_MILLE) && !sim.isCalm()) {
            call.done.accept(new Done(null, null, lost));
          } else {
            var unused = scheduler.after(entropy.nextInt(sim.pauseMs()), () -> attempt(call, lost));
          }
        });
  }

  /** What is in the log already may still take effect. */
  private static boolean isDoubtful(WireError error) {
    return switch (error) {
      case KAFKA_STORAGE_ERROR,
          REQUEST_TIMED_OUT,
          NOT_ENOUGH_REPLICAS_AFTER_APPEND,
          NOT_COORDINATOR,
          COORDINATOR_NOT_AVAILABLE ->
          true;
      default -> false;
    };
  }
}
