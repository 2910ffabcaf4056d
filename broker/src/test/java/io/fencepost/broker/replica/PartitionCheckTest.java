package io.fencepost.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.config.FlushPolicy;
import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.sim.SimEntropy;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A check names what is wrong, in the file where it is. */
class PartitionCheckTest {
  private static final String DIRECTORY = ReplicaFixture.ORDERS + "/";

  private final ReplicaFixture fixture = new ReplicaFixture(FlushPolicy.GROUP);

  /** Several segments with plain, idempotent, committed, aborted and open records. */
  @BeforeEach
  void write() {
    int sequence = 0;
    for (int i = 0; i < 30; i++) {
      fixture.send(ReplicaFixture.plain(2));
      fixture.send(ReplicaFixture.idempotent(1, 0, sequence, 2));
      sequence += 2;
      fixture.sendInTransaction(2, i, 0, 3);
      fixture.mark(2, i + 1, i % 3 != 0);
      fixture.settle();
    }
    fixture.sendInTransaction(3, 0, 0, 1);
    fixture.settle();
    fixture.stop();
    assertThat(fixture.check()).isEmpty();
    assertThat(files(".log")).hasSizeGreaterThan(3);
  }

  private List<String> files(String suffix) {
    return fixture.disk.list(ReplicaFixture.ORDERS.toString()).stream()
        .filter(name -> name.endsWith(suffix))
        .toList();
  }

  private void expectDamage(String file) {
    assertThat(fixture.check())
        .as("damage of %s", file)
        .anySatisfy(
            found -> {
              assertThat(found.file()).isEqualTo(DIRECTORY + file);
              assertThat(found.isDamage()).isTrue();
            });
  }

  @Test
  void a_turned_bit_is_named_in_every_kind_of_file() {
    SimEntropy entropy = new SimEntropy(7);
    for (String suffix :
        List.of(
            ".log",
            ".index",
            ".timeindex",
            ".txnindex",
            ".snapshot",
            "leader-epoch-checkpoint",
            "recovery-point",
            "partition.metadata")) {
      List<String> files = files(suffix);
      assertThat(files).as(suffix).isNotEmpty();
      for (String file : files) {
        long size = fixture.disk.read(DIRECTORY + file).length;
        for (int i = 0; i < 20 && size > 0; i++) {
          byte[] intact = fixture.disk.read(DIRECTORY + file);
          fixture.disk.corrupt(DIRECTORY + file, entropy.nextInt((int) size));
          expectDamage(file);
          fixture.disk.replace(DIRECTORY + file, intact);
        }
      }
    }
    assertThat(fixture.check()).isEmpty();
  }

  @Test
  void a_missing_file_is_named() {
    for (String suffix :
        List.of(
            ".index", ".timeindex", ".txnindex", "leader-epoch-checkpoint", "partition.metadata")) {
      for (String file : files(suffix)) {
        byte[] intact = fixture.disk.read(DIRECTORY + file);
        fixture.disk.delete(DIRECTORY + file);
        assertThat(fixture.check())
            .as("without %s", file)
            .anyMatch(found -> found.file().equals(DIRECTORY + file));
        fixture.disk.replace(DIRECTORY + file, intact);
      }
    }
  }

  @Test
  void a_missing_segment_is_named_by_its_offsets() {
    String file = files(".log").get(1);
    fixture.disk.delete(DIRECTORY + file);
    long base = Long.parseLong(file.substring(0, 20));
    assertThat(fixture.check())
        .anyMatch(found -> found.sentence().startsWith("offsets " + base + " to "))
        .anyMatch(found -> found.isDamage() && found.file().equals(DIRECTORY + file));
  }

  @Test
  void a_log_that_was_cut_is_shorter_than_it_was_known_to_be() {
    String file = files(".log").get(files(".log").size() - 1);
    AppendFile log = fixture.disk.open(DIRECTORY + file);
    log.truncate(log.sizeBytes() - 1);
    log.close();
    expectDamage(file);
  }

  @Test
  void the_sentence_says_where_and_what() {
    String file = files(".log").get(0);
    fixture.disk.corrupt(DIRECTORY + file, 100);
    assertThat(fixture.check().get(0).toString())
        .matches(
            "orders-0/00000000000000000000.log at byte 0: the checksum does not fit the bytes"
                + " \\((\\d+) bytes\\); intact batches follow at byte \\1");
  }

  @Test
  void an_open_transaction_is_told_with_its_first_offset() {
    PartitionCheck.Summary summary =
        PartitionCheck.run(
            fixture.disk,
            ReplicaFixture.ORDERS.toString(),
            ReplicaFixture.TOPIC_ID,
            false,
            finding -> {});
    assertThat(summary.open())
        .containsExactly(new PartitionCheck.Open(3, (short) 0, summary.endOffset() - 1));
  }
}
