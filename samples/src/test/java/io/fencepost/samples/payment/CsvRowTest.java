package io.fencepost.samples.payment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class CsvRowTest {
  @Test
  void plain_and_quoted_fields_are_split() {
    assertThat(CsvRow.split("a,\"b, c\",,\"say \"\"hi\"\"\",\"x\ny\"").fields())
        .containsExactly("a", "b, c", "", "say \"hi\"", "x\ny");
    assertThat(CsvRow.split("").fields()).containsExactly("");
    assertThat(CsvRow.split("a,").fields()).containsExactly("a", "");
  }

  @Test
  void bad_quoting_is_named_with_its_place() {
    assertThat(CsvRow.split("a,b\"c,d").problem())
        .isEqualTo("a quote inside an unquoted field at character 4");
    assertThat(CsvRow.split("a,\"bc,d").problem())
        .isEqualTo("the quote at character 3 is never closed");
    assertThat(CsvRow.split("\"a\"b,c").problem())
        .isEqualTo("text after the closing quote at character 3");
  }

  @Test
  void what_was_joined_is_split_into_the_same_fields() {
    SplittableRandom chance = new SplittableRandom(42);
    String alphabet = "a,\"\n\r é";
    for (int round = 0; round < 2_000; round++) {
      List<String> fields =
          chance
              .ints(1 + chance.nextInt(5), 0, 6)
              .mapToObj(length -> word(chance, alphabet, length))
              .toList();
      CsvRow.Split split = CsvRow.split(CsvRow.join(fields));
      assertThat(split.problem()).as("%s", fields).isNull();
      assertThat(split.fields()).isEqualTo(fields);
    }
  }

  private static String word(SplittableRandom chance, String alphabet, int length) {
    StringBuilder word = new StringBuilder();
    for (int i = 0; i < length; i++) {
      word.append(alphabet.charAt(chance.nextInt(alphabet.length())));
    }
    return word.toString();
  }
}
