package io.fencepost.broker.net;

import io.fencepost.broker.config.BrokerConfig;

/** What the network part needs to know of the broker's settings. */
public record ListenerSettings(
    int maxFrameBytes,
    long memoryCapBytes,
    long maxIdleMs,
    long maxFrameMs,
    int maxConnections,
    int backlog) {

  public static ListenerSettings of(BrokerConfig config) {
    int maxFrameBytes = config.intOf("socket.request.max.bytes");
    long memory = config.longOf("queued.max.request.bytes");
    long capBytes = memory > 0 ? memory : Runtime.getRuntime().maxMemory() / 4;
    return new ListenerSettings(
        maxFrameBytes,
        capBytes,
        config.longOf("connections.max.idle.ms"),
        config.longOf("request.timeout.ms"),
        config.intOf("max.connections"),
        config.intOf("socket.listen.backlog.size"));
  }
}
