package io.fencepost.samples.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.time.Duration;

/** A {@link ClusterApp}, told over its input whom to kill. */
final class OneProcessCluster implements Cluster {
  private final BrokerProcess process;
  private final Writer orders;
  private final BufferedReader answers;

  /**
   * @param orders the input of the process
   * @param answers its output, after the line with the addresses
   */
  OneProcessCluster(BrokerProcess process, Writer orders, BufferedReader answers) {
    this.process = process;
    this.orders = orders;
    this.answers = answers;
  }

  @Override
  public String bootstrap() {
    return process.bootstrap();
  }

  @Override
  public Duration age() {
    return process.age();
  }

  @Override
  public Duration cpu() {
    return process.cpu();
  }

  @Override
  public long residentBytes() {
    return process.residentBytes();
  }

  @Override
  public void kill(int broker) throws IOException {
    order(new ClusterOrder(ClusterOrder.Verb.KILL, broker));
  }

  @Override
  public void restart(int broker) throws IOException {
    order(new ClusterOrder(ClusterOrder.Verb.RESTART, broker));
  }

  private void order(ClusterOrder order) throws IOException {
    orders.write(order.line() + "\n");
    orders.flush();
    String answer = answers.readLine();
    if (!ClusterApp.DONE.equals(answer)) {
      throw new IllegalStateException("'" + order.line() + "' was answered '" + answer + "'");
    }
  }

  @Override
  public void close() {
    process.close();
  }
}
