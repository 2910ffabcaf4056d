package io.fencepost.txn.group.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TopicRegexTest {
  private final FakeTopics topics = new FakeTopics();

  @Test
  void matches_whole_names() {
    topics.topic("pay", 1);
    topics.topic("pay-a", 1);
    topics.topic("repay", 1);
    assertThat(TopicRegex.of("pay.*", topics).matches()).containsExactly("pay", "pay-a");
    assertThat(TopicRegex.of("(?i)PAY|re.{3}", topics).matches()).containsExactly("pay", "repay");
    assertThat(TopicRegex.of("", topics).matches()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"(a", "a{2000}", "(?=a)", "\\1", "[b-a]", "a**{3}{2}{"})
  void what_is_not_re2_is_a_fault(String text) {
    TopicRegex regex = TopicRegex.of(text, topics);
    assertThat(regex.fault()).contains(text);
    assertThat(regex.matches()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "(a{1000}){1000}",
        "((a{100}){100}){100}",
        "(((((a{9}){9}){9}){9}){9}){9}",
        "(a|b{999}|c){50}",
        "([a-z]{50}x){50}",
        "(\\Qlong literal\\E{100}){100}"
      })
  void repetitions_are_not_written_out_without_bound(String text) {
    assertThat(TopicRegex.of(text, topics).fault()).contains("steps");
  }

  @Test
  void names_of_a_hostile_pattern_take_linear_time() {
    topics.topic("a".repeat(249), 1);
    assertThat(TopicRegex.of("(a*)*(a*)*(a*)*b", topics).matches()).isEmpty();
    assertThat(TopicRegex.of("a".repeat(1_001), topics).fault()).contains("1001 characters");
    assertThat(TopicRegex.of("a".repeat(249), topics).matches()).hasSize(1);
  }
}
