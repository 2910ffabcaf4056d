package io.fencepost.broker.cluster;

import org.jspecify.annotations.Nullable;

/** A broker as clients see it. */
public record BrokerNode(int id, String host, int port, @Nullable String rack) {}
