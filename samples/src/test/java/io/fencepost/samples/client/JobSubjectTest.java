package io.fencepost.samples.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobSubjectTest {
  private static final List<String> TOPICS = List.of("payments");

  @TempDir private Path directory;

  private List<JobSubject.Row> rows(String text) throws IOException {
    return JobSubject.rows(Files.writeString(directory.resolve("in.jsonl"), text), TOPICS);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "{\"amount\":12.50};             {\"amount\":12.50}",
        "0.1234567890123456789012345678; 0.1234567890123456789012345678",
        "12345678901234567890123;        12345678901234567890123",
        "\"12.50\";                      12.50",
        "[1,null,true];                  [1,null,true]",
      })
  void a_value_goes_to_the_job_as_it_is_written(String written, String sent) throws IOException {
    byte[] value = Objects.requireNonNull(rows("{\"value\":" + written + "}").get(0).value());
    assertThat(new String(value, StandardCharsets.UTF_8)).isEqualTo(sent);
  }

  @Test
  void what_is_left_out_or_null_is_null() throws IOException {
    assertThat(rows("{\"topic\":null,\"key\":null,\"partition\":1,\"timestampMs\":7}"))
        .containsExactly(new JobSubject.Row("payments", 1, 7L, null, null));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "[1];                             is no JSON object",
        "null;                            is no JSON object",
        "{\"value\":1} {\"value\":2};       is no JSON: Trailing token",
        "{\"value\":1;                    is no JSON: ",
        "{\"Value\":\"a\"};               : there is no field 'Value'; there are [topic, key,",
        "{\"topic\":\"payment\"};         : the job does not read topic 'payment'",
        "{\"partition\":2};               : 'partition' is a whole number from 0 to 1, not 2",
        "{\"partition\":\"1\"};           : 'partition' is a whole number from 0 to 1, not \"1\"",
        "{\"timestampMs\":\"today\"};     : 'timestampMs' is a whole number from 0, not \"today\"",
        "{\"timestampMs\":-1};            : 'timestampMs' is a whole number from 0, not -1",
        "{\"timestampMs\":1e30};          : 'timestampMs' is a whole number from 0, not 1",
      })
  void what_is_no_record_is_refused_with_its_line(String line, String why) {
    assertThatThrownBy(() -> rows("{\"value\":\"a\"}\n\n" + line))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("in.jsonl:3")
        .hasMessageContaining(why);
  }
}
