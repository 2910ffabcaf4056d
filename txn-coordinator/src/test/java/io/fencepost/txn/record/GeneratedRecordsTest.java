package io.fencepost.txn.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.twin.Twin;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.coordinator.group.generated.CoordinatorRecordType;
import org.junit.jupiter.api.Test;

class GeneratedRecordsTest {
  private static final String OURS = "io.fencepost.txn.record.";
  private static final String GROUP = "org.apache.kafka.coordinator.group.generated.";
  private static final String TRANSACTION = "org.apache.kafka.coordinator.transaction.generated.";
  private static final int ROUNDS = 50;

  @Test
  void records_of_the_coordinators_are_the_same_bytes_and_values_as_kafkas() throws Exception {
    String given = System.getProperty("fencepost.seed", "");
    long seed = given.isEmpty() ? System.nanoTime() : Long.parseLong(given);
    System.out.println("rerun with -Dfencepost.seed=" + seed);
    Random random = new Random(seed);
    for (Twin twin : twins()) {
      twin.checkVersions();
      twin.checkDefaults();
      for (int round = 0; round < ROUNDS; round++) {
        twin.checkRandom(random);
        twin.checkOtherVersion(random);
      }
    }
  }

  @Test
  void record_types_are_kafkas() throws Exception {
    assertThat(TransactionLogKey.TYPE).isZero();
    assertThat(TransactionLogValue.TYPE).isZero();
    for (CoordinatorRecordType type : CoordinatorRecordType.values()) {
      Message key = type.newRecordKey();
      String name = key.getClass().getSimpleName();
      if (!name.startsWith("ShareGroup")) {
        Object ours = Class.forName(OURS + name).getField("TYPE").get(null);
        assertThat(ours).as(name).isEqualTo((int) type.id());
      }
    }
  }

  private static List<Twin> twins() throws ClassNotFoundException {
    List<Twin> twins = new ArrayList<>();
    for (String part : List.of("Key", "Value")) {
      twins.add(twin("TransactionLog" + part, TRANSACTION));
      for (CoordinatorRecordType type : CoordinatorRecordType.values()) {
        String key = type.newRecordKey().getClass().getSimpleName();
        String name = key.substring(0, key.length() - "Key".length());
        if (!name.startsWith("ShareGroup")) {
          twins.add(twin(name + part, GROUP));
        }
      }
    }
    return twins;
  }

  private static Twin twin(String name, String theirs) throws ClassNotFoundException {
    return new Twin(Class.forName(OURS + name), Class.forName(theirs + name));
  }
}
