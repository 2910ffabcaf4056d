package io.fencepost.broker.cluster;

/** The newest cluster state; thread-safe and cheap to ask. */
@FunctionalInterface
public interface ClusterView {
  ClusterState state();
}
