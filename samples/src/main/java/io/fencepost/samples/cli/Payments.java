package io.fencepost.samples.cli;
import picocli.CommandLine.Command;
@Command(name = "payments") final class Payments {}
