package io.fencepost.testkit.net;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.ResponseHeader;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.WireReader;
import io.fencepost.broker.wire.WireWriter;
import io.fencepost.broker.wire.message.ApiVersionsResponse;
import io.fencepost.broker.wire.message.DescribeClusterResponse;
import io.fencepost.broker.wire.message.FetchResponse;
import io.fencepost.broker.wire.message.FindCoordinatorResponse;
import io.fencepost.broker.wire.message.MetadataResponse;
import io.fencepost.broker.wire.message.ProduceResponse;
import io.fencepost.broker.wire.message.ShareAcknowledgeResponse;
import io.fencepost.broker.wire.message.ShareFetchResponse;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Replaces the brokers' addresses in answers: clients connect to what these say, so a proxy that
 * left them alone would see the first connection only. And keeps from clients what requests and
 * versions a broker has that are not known here, as their answers could not be read.
 */
final class AddressRewriter {
  private final UnaryOperator<Endpoint> replacement;
  private final Consumer<MetadataResponse> learner;

  /**
   * Both may be asked by several threads.
   *
   * @param learner is told all metadata before it is changed
   */
  AddressRewriter(UnaryOperator<Endpoint> replacement, Consumer<MetadataResponse> learner) {
    this.replacement = replacement;
    this.learner = learner;
  }

  /**
   * The answer (without its length) with other addresses; the same buffer if there are none.
   *
   * @throws io.fencepost.broker.wire.WireException if it is no such answer
   */
  ByteBuffer rewrite(ApiKey api, int version, ByteBuffer answer) {
    if (!mayHoldAddresses(api) || !api.isValid(version)) {
      return answer;
    }
    WireReader in = new WireReader(answer.duplicate());
    ResponseHeader header = ResponseHeader.read(in, api.responseHeaderVersion(version));
    if (api == ApiKey.API_VERSIONS && isRefusal(answer)) {
      return answer;
    }
    WireMessage message = api.readResponse(in, version);
    if (!replaceIn(message)) {
      return answer;
    }
    WireWriter out = new WireWriter();
    header.write(out, api.responseHeaderVersion(version));
    message.write(out, version);
    return out.toBuffer();
  }

  private static boolean mayHoldAddresses(ApiKey api) {
    return switch (api) {
      case METADATA,
          FIND_COORDINATOR,
          DESCRIBE_CLUSTER,
          PRODUCE,
          FETCH,
          SHARE_FETCH,
          SHARE_ACKNOWLEDGE,
          API_VERSIONS ->
          true;
      default -> false;
    };
  }

  /** One that says which versions are right, in the first version whatever was asked. */
  private static boolean isRefusal(ByteBuffer answer) {
    return answer.remaining() >= Integer.BYTES + Short.BYTES
        && answer.getShort(answer.position() + Integer.BYTES) != 0;
  }

  private boolean replaceIn(WireMessage message) {
    if (message instanceof ApiVersionsResponse versions) {
      return hideUnknown(versions);
    }
    if (message instanceof MetadataResponse metadata) {
      learner.accept(metadata);
      metadata.brokers.forEach(
          broker -> {
            Endpoint there = other(broker.host, broker.port);
            broker.host = there.host();
            broker.port = there.port();
          });
      return true;
    }
    if (message instanceof DescribeClusterResponse cluster) {
      cluster.brokers.forEach(
          broker -> {
            Endpoint there = other(broker.host, broker.port);
            broker.host = there.host();
            broker.port = there.port();
          });
      return true;
    }
    if (message instanceof FindCoordinatorResponse found) {
      return replaceIn(found);
    }
    return replaceInNodeEndpoints(message);
  }

  private static boolean hideUnknown(ApiVersionsResponse versions) {
    boolean hides = versions.apiKeys.removeIf(it -> ApiKey.of(it.apiKey) == null);
    for (ApiVersionsResponse.ApiVersion it : versions.apiKeys) {
      ApiKey api = ApiKey.of(it.apiKey);
      if (api != null && it.maxVersion > api.highestVersion()) {
        it.maxVersion = (short) api.highestVersion();
        hides = true;
      }
    }
    return hides;
  }

  private boolean replaceIn(FindCoordinatorResponse found) {
    Endpoint single = other(found.host, found.port);
    found.host = single.host();
    found.port = single.port();
    found.coordinators.forEach(
        coordinator -> {
          Endpoint there = other(coordinator.host, coordinator.port);
          coordinator.host = there.host();
          coordinator.port = there.port();
        });
    return true;
  }

  /** A broker that is no longer the leader names the new one in its answer. */
  private boolean replaceInNodeEndpoints(WireMessage message) {
    if (message instanceof ProduceResponse produced && !produced.nodeEndpoints.isEmpty()) {
      produced.nodeEndpoints.forEach(
          node -> {
            Endpoint there = other(node.host, node.port);
            node.host = there.host();
            node.port = there.port();
          });
      return true;
    }
    if (message instanceof FetchResponse fetched && !fetched.nodeEndpoints.isEmpty()) {
      fetched.nodeEndpoints.forEach(
          node -> {
            Endpoint there = other(node.host, node.port);
            node.host = there.host();
            node.port = there.port();
          });
      return true;
    }
    if (message instanceof ShareFetchResponse shared && !shared.nodeEndpoints.isEmpty()) {
      shared.nodeEndpoints.forEach(
          node -> {
            Endpoint there = other(node.host, node.port);
            node.host = there.host();
            node.port = there.port();
          });
      return true;
    }
    if (message instanceof ShareAcknowledgeResponse acknowledged
        && !acknowledged.nodeEndpoints.isEmpty()) {
      acknowledged.nodeEndpoints.forEach(
          node -> {
            Endpoint there = other(node.host, node.port);
            node.host = there.host();
            node.port = there.port();
          });
      return true;
    }
    return false;
  }

  /** An answer with an error has an empty host or port -1 in the place of an address. */
  private Endpoint other(String host, int port) {
    Endpoint here = new Endpoint(host, port);
    return host.isEmpty() || port <= 0 ? here : replacement.apply(here);
  }
}
