package io.fencepost.testkit.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.RequestHeader;
import io.fencepost.broker.wire.ResponseHeader;
import io.fencepost.broker.wire.WireReader;
import io.fencepost.broker.wire.WireWriter;
import io.fencepost.broker.wire.message.ListOffsetsRequest;
import io.fencepost.broker.wire.message.ListOffsetsResponse;
import io.fencepost.broker.wire.message.MetadataRequest;
import io.fencepost.broker.wire.message.MetadataResponse;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The proxy between a raw client and a broker of two APIs that counts what it was asked. */
class CuttingProxyIT {
  private static final short VERSION = 5;

  private final ServerSocket broker = listen();
  private final AtomicInteger handled = new AtomicInteger();

  @AfterEach
  void stop() throws IOException {
    broker.close();
  }

  @Test
  void a_cut_answer_belongs_to_a_request_that_was_done() {
    try (CuttingProxy proxy = proxy(CutPlan.seeded(ApiKey.LIST_OFFSETS, 1, 1, 1))) {
      try (RawClient client = RawClient.connect(Endpoint.parse(proxy.bootstrapServers()))) {
        assertThat(listOffsets(client).throttleTimeMs).as("warm-up is spared").isEqualTo(1);
        assertThatThrownBy(() -> listOffsets(client))
            .isInstanceOf(UncheckedIOException.class)
            .hasMessageContaining("got no answer");
      }
      assertThat(handled).hasValue(2);
      assertThat(proxy.cutCount()).isEqualTo(1);
      assertThat(proxy.answerCount()).isEqualTo(2);
    }
  }

  @Test
  void a_healed_proxy_passes_everything() {
    try (CuttingProxy proxy = proxy(CutPlan.seeded(ApiKey.LIST_OFFSETS, 1, 0, 1))) {
      proxy.heal();
      try (RawClient client = RawClient.connect(Endpoint.parse(proxy.bootstrapServers()))) {
        assertThat(listOffsets(client).throttleTimeMs).isEqualTo(1);
        assertThat(listOffsets(client).throttleTimeMs).isEqualTo(2);
      }
      assertThat(proxy.cutCount()).isZero();
    }
  }

  @Test
  void the_broker_that_metadata_names_is_behind_the_proxy_too() {
    try (CuttingProxy proxy = proxy(CutPlan.NONE);
        RawClient client = RawClient.connect(Endpoint.parse(proxy.bootstrapServers()))) {
      MetadataResponse metadata =
          client.call(ApiKey.METADATA, VERSION, new MetadataRequest(), MetadataResponse.class);
      MetadataResponse.MetadataResponseBroker named = metadata.brokers.get(0);
      assertThat(named.port).isNotEqualTo(broker.getLocalPort());
      try (RawClient second = RawClient.connect(new Endpoint(named.host, named.port))) {
        assertThat(listOffsets(second)).isNotNull();
      }
    }
  }

  private CuttingProxy proxy(CutPlan plan) {
    return CuttingProxy.start("127.0.0.1:" + broker.getLocalPort(), plan);
  }

  private static ListOffsetsResponse listOffsets(RawClient client) {
    return client.call(
        ApiKey.LIST_OFFSETS, VERSION, new ListOffsetsRequest(), ListOffsetsResponse.class);
  }

  private ServerSocket listen() {
    try {
      ServerSocket listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
      inBackground(
          () -> {
            while (true) {
              Socket connection = listener.accept();
              inBackground(() -> serve(connection));
            }
          });
      return listener;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void serve(Socket connection) throws IOException {
    DataInputStream in = new DataInputStream(connection.getInputStream());
    DataOutputStream out = new DataOutputStream(connection.getOutputStream());
    while (true) {
      byte[] frame = new byte[in.readInt()];
      in.readFully(frame);
      RequestHeader header = RequestHeader.read(new WireReader(ByteBuffer.wrap(frame)));
      WireWriter answer = new WireWriter();
      new ResponseHeader(header.correlationId()).write(answer, 0);
      if (header.apiId() == ApiKey.METADATA.id()) {
        metadata().write(answer, VERSION);
      } else {
        ListOffsetsResponse offsets = new ListOffsetsResponse();
        offsets.throttleTimeMs = handled.incrementAndGet();
        offsets.write(answer, VERSION);
      }
      ByteBuffer bytes = answer.toBuffer();
      out.writeInt(bytes.remaining());
      out.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
    }
  }

  private MetadataResponse metadata() {
    MetadataResponse.MetadataResponseBroker self = new MetadataResponse.MetadataResponseBroker();
    self.host = "127.0.0.1";
    self.port = broker.getLocalPort();
    MetadataResponse metadata = new MetadataResponse();
    metadata.brokers.add(self);
    return metadata;
  }

  private interface Loop {
    void run() throws IOException;
  }

  /** Ends when a socket does. */
  private static void inBackground(Loop loop) {
    Thread thread =
        new Thread(
            () -> {
              try {
                loop.run();
              } catch (IOException e) {
                Thread.currentThread().interrupt();
              }
            },
            "fake-broker");
    thread.setDaemon(true);
    thread.start();
  }
}
