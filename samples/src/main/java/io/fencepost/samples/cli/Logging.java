package io.fencepost.samples.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import org.slf4j.LoggerFactory;

/**
 * Sends log lines to stderr: errors of clients and warnings of ours, everything from INFO up with
 * --verbose. In code and not in XML, because reading the XML takes longer than a short command. A
 * logback.xml named by {@code -Dlogback.configurationFile} still wins.
 */
public final class Logging extends ContextAwareBase implements Configurator {
  /** Called by logback through the service file. */
  public Logging() {}

  /** Brokers of this process are about to be broken: they warn of nothing else. */
  static void expectTrouble() {
    if (!CommonOptions.isVerbose()
        && LoggerFactory.getLogger("io.fencepost") instanceof Logger ours) {
      ours.setLevel(Level.ERROR);
    }
  }

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    if (System.getProperty("logback.configurationFile") != null) {
      return ExecutionStatus.INVOKE_NEXT_IF_ANY;
    }
    PatternLayout layout = new PatternLayout();
    layout.setContext(context);
    layout.setPattern("%d{HH:mm:ss.SSS} %-5level %logger{0}: %msg%n%rEx{8}");
    layout.start();
    LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
    encoder.setContext(context);
    encoder.setLayout(layout);
    ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
    appender.setContext(context);
    appender.setTarget("System.err");
    appender.setEncoder(encoder);
    appender.start();
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.addAppender(appender);
    boolean verbose = CommonOptions.isVerbose();
    root.setLevel(verbose ? Level.INFO : Level.WARN);
    // The labs cut connections on purpose, and a client warns about each of them.
    context.getLogger("org.apache.kafka").setLevel(verbose ? Level.INFO : Level.OFF);
    // A hundred lines for each client, and the same ones.
    context.getLogger("org.apache.kafka.common.config.AbstractConfig").setLevel(Level.OFF);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }
}
