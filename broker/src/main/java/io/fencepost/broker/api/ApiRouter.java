package io.fencepost.broker.api;

import io.fencepost.broker.cluster.Features;
import io.fencepost.broker.port.FrameService;
import io.fencepost.broker.port.Invariant;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.RequestHeader;
import io.fencepost.broker.wire.ResponseHeader;
import io.fencepost.broker.wire.WireException;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.WireReader;
import io.fencepost.broker.wire.WireWriter;
import io.fencepost.broker.wire.message.ApiVersionsRequest;
import io.fencepost.broker.wire.message.ApiVersionsResponse;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * From a request frame to the handler of its API and version, and from the reply to a response
 * frame. Answers ApiVersions itself: from what is served, and nothing else.
 *
 * <p>Unknown APIs, versions that are not served and bodies that cannot be decoded end the
 * connection, as in Kafka; an ApiVersions request of an unknown version is told the range instead.
 * Immutable and thread-safe.
 */
public final class ApiRouter implements FrameService {
  private final EnumMap<ApiKey, Route> routes;
  private final ApiVersions apiVersions;

  private ApiRouter(EnumMap<ApiKey, Route> routes, Features features) {
    this.routes = routes;
    List<ApiVersionsResponse.ApiVersion> ranges = new ArrayList<>();
    routes.forEach(
        (key, route) ->
            ranges.add(
                ApiVersions.range(key, ApiVersions.shown(key, route.lowest), route.highest)));
    this.apiVersions = new ApiVersions(ranges, features);
  }

  /**
   * @param features shown to clients by ApiVersions
   */
  public static Builder builder(Features features) {
    return new Builder(features);
  }

  @Override
  public void serve(ByteBuffer frame, Peer peer, Answer answer) {
    WireReader in = new WireReader(frame, answer::claim);
    RequestHeader header;
    try {
      header = RequestHeader.read(in);
    } catch (WireException malformed) {
      answer.close("the request header cannot be read: " + malformed.getMessage());
      return;
    }
    ApiKey key = header.apiKey();
    Route route = key == null ? null : routes.get(key);
    if (key == null || route == null) {
      answer.close("API " + (key == null ? header.apiId() : key) + " is not served here");
      return;
    }
    if (header.apiVersion() < route.lowest || header.apiVersion() > route.highest) {
      refuseVersion(key, route, header, answer);
      return;
    }
    WireMessage request;
    try {
      // Bytes behind it are passed over: librdkafka's Metadata v13 has three.
      request = key.readRequest(in, header.apiVersion());
    } catch (WireException malformed) {
      answer.close(key + " v" + header.apiVersion() + " cannot be read: " + malformed.getMessage());
      return;
    }
    RequestContext context =
        new RequestContext(
            header.apiVersion(), header.clientId(), peer.host(), peer.connectionId());
    try {
      route.handler.handle(context, request, new FrameReply(key, header, answer));
    } catch (WireException tooMuch) {
      answer.close(
          key + " v" + header.apiVersion() + " cannot be answered: " + tooMuch.getMessage());
    }
  }

  private void refuseVersion(ApiKey key, Route route, RequestHeader header, Answer answer) {
    if (key != ApiKey.API_VERSIONS) {
      answer.close(
          "%s v%d is not served, only v%d to v%d"
              .formatted(key, header.apiVersion(), route.lowest, route.highest));
      return;
    }
    RequestHeader oldest =
        new RequestHeader(header.apiId(), 0, header.correlationId(), header.clientId());
    new FrameReply(key, oldest, answer).send(apiVersions.refusal());
  }

  /** One registered API. */
  private record Route(int lowest, int highest, ApiHandler<WireMessage, WireMessage> handler) {}

  /** Turns a response message into the parts of its frame. */
  private record FrameReply(ApiKey key, RequestHeader header, FrameService.Answer answer)
      implements Reply<WireMessage> {
    @Override
    public void send(WireMessage response) {
      WireWriter out = new WireWriter();
      new ResponseHeader(header.correlationId())
          .write(out, key.responseHeaderVersion(header.apiVersion()));
      response.write(out, header.apiVersion());
      answer.send(out.toParts());
    }

    @Override
    public void sendNothing() {
      answer.sendNothing();
    }

    @Override
    public void close(String reason) {
      answer.close(reason);
    }

    @Override
    public void onAbandoned(Runnable action) {
      answer.onAbandoned(action);
    }

    @Override
    public void claim(long sizeBytes) {
      if (!answer.claim(sizeBytes)) {
        throw new WireException(
            "the answer needs more memory than requests may hold (queued.max.request.bytes)");
      }
    }
  }

  /** Collects who serves what. Not thread-safe. */
  public static final class Builder {
    private final EnumMap<ApiKey, Route> routes = new EnumMap<>(ApiKey.class);
    private final Features features;

    private Builder(Features features) {
      this.features = features;
    }

    /** Serves all stable versions of the API. */
    public Builder serve(ApiKey key, ApiHandler<?, ?> handler) {
      return serve(key, key.lowestVersion(), key.highestVersion(), handler);
    }

    /** Serves these versions of the API, both ends included. */
    public Builder serve(ApiKey key, int lowest, int highest, ApiHandler<?, ?> handler) {
      Invariant.check(
          lowest <= highest && key.isValid(lowest) && key.isValid(highest),
          "%s has no versions %s to %s",
          key,
          lowest,
          highest);
      // The key decides both message classes, so a handler registered under it fits them.
      @SuppressWarnings("unchecked")
      ApiHandler<WireMessage, WireMessage> typed = (ApiHandler<WireMessage, WireMessage>) handler;
      Route before = routes.put(key, new Route(lowest, highest, typed));
      Invariant.check(before == null, "%s is served twice", key);
      return this;
    }

    public ApiRouter build() {
      EnumMap<ApiKey, Route> all = new EnumMap<>(routes);
      ApiKey own = ApiKey.API_VERSIONS;
      // The handler is asked only after the router is complete, so it may read a field set later.
      Holder holder = new Holder();
      all.put(own, new Route(own.lowestVersion(), own.highestVersion(), holder::handle));
      ApiRouter router = new ApiRouter(all, features);
      holder.handler = router.apiVersions;
      return router;
    }
  }

  /** Breaks the circle between the list of what is served and the handler that shows it. */
  private static final class Holder {
    private @Nullable ApiVersions handler;

    private void handle(RequestContext context, WireMessage request, Reply<WireMessage> reply) {
      ApiVersions known = handler;
      if (known == null) {
        reply.close("the broker is not ready");
      } else {
        reply.send(known.answer(context, (ApiVersionsRequest) request));
      }
    }
  }
}
