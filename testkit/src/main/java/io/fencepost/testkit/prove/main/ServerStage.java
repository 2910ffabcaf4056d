package io.fencepost.testkit.prove.main;

import io.fencepost.testkit.fault.Faults;
import io.fencepost.testkit.fault.Fired;
import io.fencepost.txn.main.FencepostConfig;
import io.fencepost.txn.main.FencepostServer;

/** One broker without files, which starts in a blink. */
final class ServerStage implements Stage {
  private final FencepostServer server;

  private ServerStage(FencepostServer server) {
    this.server = server;
  }

  static ServerStage start() {
    return new ServerStage(
        FencepostServer.start(
            FencepostConfig.builder()
                .port(0)
                .set("group.min.session.timeout.ms", "500")
                .set("group.initial.rebalance.delay.ms", "0")
                .set("transaction.abort.timed.out.transaction.cleanup.interval.ms", "200")
                .build()));
  }

  @Override
  public String bootstrap() {
    return server.bootstrapServers();
  }

  @Override
  public int replicas() {
    return 1;
  }

  @Override
  public void attach(Faults faults) {}

  @Override
  public void act(Fired fired) {
    throw new IllegalStateException("one broker alone is not broken: " + fired);
  }

  @Override
  public void settle() {}

  @Override
  public void close() {
    server.close();
  }
}
