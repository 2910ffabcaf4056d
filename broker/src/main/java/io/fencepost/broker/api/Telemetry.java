package io.fencepost.broker.api;

import io.fencepost.broker.port.Entropy;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.message.GetTelemetrySubscriptionsRequest;
import io.fencepost.broker.wire.message.GetTelemetrySubscriptionsResponse;
import io.fencepost.broker.wire.message.PushTelemetryRequest;
import io.fencepost.broker.wire.message.PushTelemetryResponse;

/**
 * Client telemetry (KIP-714): GetTelemetrySubscriptions and PushTelemetry, v0. A client gets an id
 * and hears that nobody wants its metrics; what it pushes all the same is dropped. Without the id
 * {@code clientInstanceId()} of consumers, producers and admins would not work.
 *
 * <p>Thread-safe.
 */
public final class Telemetry {
  /**
   * How soon a client asks again: Kafka's default. librdkafka counts it in microseconds in an int,
   * and one that overflows makes it ask without a pause.
   */
  private static final int ASK_AGAIN_MS = 300_000;

  private static final int LARGEST_PUSH_BYTES = 1 << 20;

  private final Entropy entropy;

  private Telemetry(Entropy entropy) {
    this.entropy = entropy;
  }

  public static void serve(ApiRouter.Builder routes, Entropy entropy) {
    Telemetry telemetry = new Telemetry(entropy);
    ApiHandler<GetTelemetrySubscriptionsRequest, GetTelemetrySubscriptionsResponse> subscriptions =
        telemetry::subscriptions;
    ApiHandler<PushTelemetryRequest, PushTelemetryResponse> push = Telemetry::push;
    routes
        .serve(ApiKey.GET_TELEMETRY_SUBSCRIPTIONS, subscriptions)
        .serve(ApiKey.PUSH_TELEMETRY, push);
  }

  private void subscriptions(
      RequestContext context,
      GetTelemetrySubscriptionsRequest request,
      Reply<GetTelemetrySubscriptionsResponse> reply) {
    GetTelemetrySubscriptionsResponse response = new GetTelemetrySubscriptionsResponse();
    response.clientInstanceId =
        request.clientInstanceId.equals(Uuid.ZERO) ? freshId() : request.clientInstanceId;
    for (byte codec = 0; codec <= 4; codec++) {
      response.acceptedCompressionTypes.add(codec);
    }
    response.pushIntervalMs = ASK_AGAIN_MS;
    response.telemetryMaxBytes = LARGEST_PUSH_BYTES;
    response.deltaTemporality = true;
    reply.send(response);
  }

  private synchronized Uuid freshId() {
    return new Uuid(entropy.nextLong(), entropy.nextLong());
  }

  private static void push(
      RequestContext context, PushTelemetryRequest request, Reply<PushTelemetryResponse> reply) {
    reply.send(new PushTelemetryResponse());
  }
}
