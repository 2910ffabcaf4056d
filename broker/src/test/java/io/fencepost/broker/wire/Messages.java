package io.fencepost.broker.wire;

import io.fencepost.broker.wire.message.ConsumerProtocolAssignment;
import io.fencepost.broker.wire.message.ConsumerProtocolSubscription;
import io.fencepost.broker.wire.twin.Twin;
import java.util.ArrayList;
import java.util.List;

/** Every generated message of the broker with its twin of Kafka. */
final class Messages {
  private static final String OURS = "io.fencepost.broker.wire.message.";
  private static final String THEIRS = "org.apache.kafka.common.message.";

  private Messages() {}

  static List<Twin> all() throws ClassNotFoundException {
    List<Twin> twins = new ArrayList<>();
    for (ApiKey key : ApiKey.values()) {
      twins.add(twin(key.apiName() + "Request", "Data"));
      twins.add(twin(key.apiName() + "Response", "Data"));
    }
    twins.add(twin(ConsumerProtocolSubscription.class.getSimpleName(), ""));
    twins.add(twin(ConsumerProtocolAssignment.class.getSimpleName(), ""));
    return twins;
  }

  private static Twin twin(String name, String suffix) throws ClassNotFoundException {
    return new Twin(Class.forName(OURS + name), Class.forName(THEIRS + name + suffix));
  }

  static long seed() {
    String given = System.getProperty("fencepost.seed", "");
    long seed = given.isEmpty() ? System.nanoTime() : Long.parseLong(given);
    System.out.println("rerun with -Dfencepost.seed=" + seed);
    return seed;
  }
}
