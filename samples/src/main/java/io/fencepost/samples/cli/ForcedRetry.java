package io.fencepost.samples.cli;
import picocli.CommandLine.Command;
@Command(name = "forced-retry") final class ForcedRetry {}
