package io.fencepost.testkit.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.ResponseHeader;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.WireReader;
import io.fencepost.broker.wire.WireWriter;
import io.fencepost.broker.wire.message.ApiVersionsResponse;
import io.fencepost.broker.wire.message.DescribeClusterResponse;
import io.fencepost.broker.wire.message.FindCoordinatorResponse;
import io.fencepost.broker.wire.message.ListOffsetsResponse;
import io.fencepost.broker.wire.message.MetadataResponse;
import io.fencepost.broker.wire.message.ProduceResponse;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every answer that carries a broker's address, in every version of it. */
class AddressRewriterTest {
  private final List<MetadataResponse> learned = new ArrayList<>();
  private final AddressRewriter rewriter =
      new AddressRewriter(broker -> new Endpoint("proxy", broker.port() + 1), learned::add);

  @Test
  void metadata_names_the_proxy() {
    for (int version = 0; version <= ApiKey.METADATA.highestVersion(); version++) {
      MetadataResponse.MetadataResponseBroker broker =
          new MetadataResponse.MetadataResponseBroker();
      broker.host = "real";
      broker.port = 9092;
      MetadataResponse answer = new MetadataResponse();
      answer.brokers.add(broker);
      MetadataResponse seen = (MetadataResponse) rewritten(ApiKey.METADATA, version, answer);
      assertThat(seen.brokers.get(0).host).as("version %d", version).isEqualTo("proxy");
      assertThat(seen.brokers.get(0).port).isEqualTo(9093);
    }
  }

  @Test
  void find_coordinator_names_the_proxy_unless_it_failed() {
    for (int version = 0; version <= ApiKey.FIND_COORDINATOR.highestVersion(); version++) {
      FindCoordinatorResponse answer = new FindCoordinatorResponse();
      answer.host = version < 4 ? "real" : "";
      answer.port = version < 4 ? 9092 : 0;
      if (version >= 4) {
        answer.coordinators.add(coordinator("real", 9092));
        answer.coordinators.add(coordinator("", -1));
      }
      FindCoordinatorResponse seen =
          (FindCoordinatorResponse) rewritten(ApiKey.FIND_COORDINATOR, version, answer);
      String host = version < 4 ? seen.host : seen.coordinators.get(0).host;
      assertThat(host).as("version %d", version).isEqualTo("proxy");
      if (version >= 4) {
        assertThat(seen.coordinators.get(1).host).isEmpty();
        assertThat(seen.coordinators.get(1).port).isEqualTo(-1);
      }
    }
  }

  @Test
  void describe_cluster_and_moved_leaders_name_the_proxy() {
    DescribeClusterResponse.DescribeClusterBroker broker =
        new DescribeClusterResponse.DescribeClusterBroker();
    broker.host = "real";
    broker.port = 1;
    DescribeClusterResponse cluster = new DescribeClusterResponse();
    cluster.brokers.add(broker);
    assertThat(
            ((DescribeClusterResponse) rewritten(ApiKey.DESCRIBE_CLUSTER, 1, cluster))
                .brokers.get(0).host)
        .isEqualTo("proxy");
    ProduceResponse.NodeEndpoint node = new ProduceResponse.NodeEndpoint();
    node.host = "real";
    node.port = 1;
    ProduceResponse produced = new ProduceResponse();
    produced.nodeEndpoints.add(node);
    assertThat(
            ((ProduceResponse) rewritten(ApiKey.PRODUCE, 10, produced)).nodeEndpoints.get(0).host)
        .isEqualTo("proxy");
  }

  @Test
  void what_holds_no_address_passes_untouched() {
    ByteBuffer answer = frame(ApiKey.LIST_OFFSETS, 7, new ListOffsetsResponse());
    assertThat(rewriter.rewrite(ApiKey.LIST_OFFSETS, 7, answer)).isSameAs(answer);
    ByteBuffer produced = frame(ApiKey.PRODUCE, 9, new ProduceResponse());
    assertThat(rewriter.rewrite(ApiKey.PRODUCE, 9, produced)).isSameAs(produced);
  }

  @Test
  void what_only_the_broker_knows_is_hidden_from_clients() {
    ApiVersionsResponse versions = new ApiVersionsResponse();
    versions.apiKeys.add(versions(ApiKey.METADATA.id(), ApiKey.METADATA.highestVersion() + 1));
    versions.apiKeys.add(versions(ApiKey.END_TXN.id(), 3));
    versions.apiKeys.add(versions(999, 1));
    ApiVersionsResponse seen = (ApiVersionsResponse) rewritten(ApiKey.API_VERSIONS, 3, versions);
    assertThat(seen.apiKeys).hasSize(2);
    assertThat(seen.apiKeys.get(0).maxVersion).isEqualTo((short) ApiKey.METADATA.highestVersion());
    assertThat(seen.apiKeys.get(1).maxVersion).isEqualTo((short) 3);
    ApiVersionsResponse refusal = new ApiVersionsResponse();
    refusal.errorCode = 35;
    ByteBuffer first = frame(ApiKey.API_VERSIONS, 0, refusal);
    assertThat(rewriter.rewrite(ApiKey.API_VERSIONS, 4, first)).isSameAs(first);
  }

  private static ApiVersionsResponse.ApiVersion versions(int api, int highest) {
    ApiVersionsResponse.ApiVersion versions = new ApiVersionsResponse.ApiVersion();
    versions.apiKey = (short) api;
    versions.maxVersion = (short) highest;
    return versions;
  }

  private static FindCoordinatorResponse.Coordinator coordinator(String host, int port) {
    FindCoordinatorResponse.Coordinator coordinator = new FindCoordinatorResponse.Coordinator();
    coordinator.host = host;
    coordinator.port = port;
    return coordinator;
  }

  private WireMessage rewritten(ApiKey api, int version, WireMessage answer) {
    WireReader in = new WireReader(rewriter.rewrite(api, version, frame(api, version, answer)));
    assertThat(ResponseHeader.read(in, api.responseHeaderVersion(version)).correlationId())
        .isEqualTo(42);
    return api.readResponse(in, version);
  }

  private static ByteBuffer frame(ApiKey api, int version, WireMessage answer) {
    WireWriter out = new WireWriter();
    new ResponseHeader(42).write(out, api.responseHeaderVersion(version));
    answer.write(out, version);
    return out.toBuffer();
  }
}
