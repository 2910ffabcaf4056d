package io.fencepost.broker.core;

import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.Entropy;
import io.fencepost.broker.port.Scheduler;

/** The world that a core is put into. */
public record CorePorts(Clock clock, Scheduler scheduler, Entropy entropy, Disk disk) {}
