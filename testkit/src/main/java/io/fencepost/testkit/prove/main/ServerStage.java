package io.fencepost.testkit.prove.main;

import io.fencepost.testkit.fault.Faults;
import io.fencepost.testkit.fault.Fired;
import io.fencepost.testkit.fault.main.ShortTimes;
import io.fencepost.txn.main.FencepostConfig;
import io.fencepost.txn.main.FencepostServer;
import java.util.List;
import java.util.function.Consumer;

/** One broker without files, which starts in a blink. */
final class ServerStage implements Stage {
  private final FencepostServer server;

  private ServerStage(FencepostServer server) {
    this.server = server;
  }

  static ServerStage start() {
    FencepostConfig.Builder config = FencepostConfig.builder().port(0);
    ShortTimes.ofBrokers().forEach(config::set);
    return new ServerStage(FencepostServer.start(config.build()));
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
  public void attach(Faults faults, Consumer<Fired> jobs) {}

  @Override
  public void act(Fired fired) {
    throw new IllegalStateException("one broker alone is not broken: " + fired);
  }

  @Override
  public List<String> troubles() {
    return List.of();
  }

  @Override
  public void settle() {}

  @Override
  public void close() {
    server.close();
  }
}
