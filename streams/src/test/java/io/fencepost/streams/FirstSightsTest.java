package io.fencepost.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.streams.test.JobTest;
import io.fencepost.streams.test.TestRecord;
import io.fencepost.streams.test.TestTopic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;

class FirstSightsTest {
  private static final Serde<String> TEXT = Serdes.String();
  private static final String CHANGELOG = "j-seen-changelog";
  private static final int MAX_BYTES = 300;

  @Test
  void what_was_packed_comes_out_in_order_in_records_of_bounded_size() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      long newestMs = random.nextBoolean() ? random.nextLong() >> 2 : random.nextInt(1_000);
      List<String> in = new ArrayList<>();
      List<byte[]> values = new ArrayList<>();
      FirstSights.Packer packer =
          new FirstSights.Packer(
              MAX_BYTES,
              newestMs,
              (value, newest) -> {
                assertThat(newest).isEqualTo(newestMs);
                values.add(value);
              });
      int count = random.nextInt(60);
      for (int i = 0; i < count; i++) {
        byte[] key = new byte[random.nextInt(random.nextInt(10) == 0 ? 1_000 : 30)];
        random.nextBytes(key);
        long ageMs = random.nextLong() >>> (2 + random.nextInt(62));
        in.add(HexFormat.of().formatHex(key) + "@" + (newestMs - ageMs));
        packer.add(key, newestMs - ageMs);
      }
      packer.finish();
      packer.finish();
      List<String> out = new ArrayList<>();
      for (byte[] value : values) {
        int before = out.size();
        FirstSights.forEach(
            value, (key, seenMs) -> out.add(HexFormat.of().formatHex(key) + "@" + seenMs));
        assertThat(FirstSights.newestMs(value)).isEqualTo(newestMs);
        assertThat(value.length <= MAX_BYTES || out.size() == before + 1)
            .as("seed %d: %d bytes of %d keys", seed, value.length, out.size() - before)
            .isTrue();
      }
      assertThat(out).as("seed %d", seed).isEqualTo(in);
    }
  }

  @Test
  void what_is_cut_off_or_something_else_is_refused() {
    List<byte[]> values = new ArrayList<>();
    FirstSights.Packer packer =
        new FirstSights.Packer(MAX_BYTES, 7, (value, newest) -> values.add(value));
    packer.add("key".getBytes(StandardCharsets.UTF_8), 5);
    packer.finish();
    byte[] whole = values.get(0);
    for (int length : new int[] {0, 8, 10, whole.length - 1}) {
      assertThatThrownBy(() -> FirstSights.forEach(Arrays.copyOf(whole, length), (key, ms) -> {}))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("no record of first sights");
    }
    assertThat(FirstSights.isReadable("1234567890".getBytes(StandardCharsets.UTF_8))).isFalse();
  }

  @Test
  void a_transaction_writes_one_record_and_what_time_forgot_leaves_the_changelog() {
    Job job = Job.named("j").deadLetters("dead");
    job.from("in", TEXT, TEXT).deduplicate("seen", Duration.ofMinutes(1)).to("out", TEXT, TEXT);
    try (JobTest test = JobTest.of(job).setting("repartition.purge.interval.ms", 1_000)) {
      TestTopic<String, String> in = test.topic("in", TEXT, TEXT);
      TestTopic<String, byte[]> changelog = test.topic(CHANGELOG, TEXT, Serdes.ByteArray());
      in.send("a", "1", 10_000).send("b", "1", 11_000).send("a", "2", 12_000);
      test.run();
      assertThat(changelog.committed()).singleElement().extracting(TestRecord::key).isNull();
      in.send("c", "1", 70_000);
      test.advance(Duration.ofSeconds(2));
      assertThat(changelog.committed()).hasSize(2);

      in.send("d", "1", 300_000);
      test.advance(Duration.ofSeconds(2));
      in.send("e", "1", 300_001);
      test.advance(Duration.ofSeconds(2));
      assertThat(changelog.committed())
          .as("only what is younger than two retentions")
          .extracting(TestRecord::timestampMs)
          .containsExactly(300_000L, 300_001L);
      test.loseState().crash();
      in.send("d", "2", 300_002).send("a", "3", 300_003);
      test.run();
      assertThat(test.topic("out", TEXT, TEXT).committed())
          .extracting(record -> record.key() + record.value())
          .containsExactly("a1", "b1", "c1", "d1", "e1", "a3");
    }
  }
}
