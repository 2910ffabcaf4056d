package io.fencepost.broker.core;

import io.fencepost.broker.cluster.BrokerMetadata;
import io.fencepost.broker.cluster.Controller;
import io.fencepost.broker.config.BrokerConfig;
import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.Entropy;
import io.fencepost.broker.port.Meters;
import io.fencepost.broker.port.Scheduler;
import io.fencepost.broker.replica.Peers;
import io.fencepost.broker.replica.Replicas;
import io.fencepost.broker.testing.BrokerSteps;

/**
 * What a broker gives to its extensions.
 *
 * @param disk the broker's directory
 * @param cluster what this broker knows of the cluster: whoever reads or follows metadata asks it
 * @param controller takes commands, if the cluster's view says that it can be reached
 */
public record CoreServices(
    int brokerId,
    Clock clock,
    Scheduler scheduler,
    Entropy entropy,
    Disk disk,
    BrokerConfig config,
    BrokerMetadata cluster,
    Controller controller,
    Replicas replicas,
    Peers peers,
    Meters meters,
    BrokerSteps steps) {}
