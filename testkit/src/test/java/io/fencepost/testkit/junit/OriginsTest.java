package io.fencepost.testkit.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.testkit.history.Content;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Event.Takes;
import io.fencepost.testkit.prove.main.Topics;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

class OriginsTest {
  private static TopicContent content(String topic, List<String> values) {
    Function<byte[], String> text = it -> new String(it, StandardCharsets.UTF_8);
    return new TopicContent(
        topic,
        values.stream()
            .map(it -> new KeyValue<byte[], byte[]>(null, it.getBytes(StandardCharsets.UTF_8)))
            .toList(),
        text,
        text);
  }

  private static Made made(
      TopicContent input,
      List<String> values,
      String output,
      Function<List<String>, List<String>> f) {
    return new Made(
        input,
        content(output, f.apply(values)),
        values.stream().map(it -> content(output, f.apply(List.of(it))).records()).toList());
  }

  private static Origins origins(List<String> values, Function<List<String>, List<String>> f) {
    TopicContent input = content("in", values);
    return new Origins(List.of(made(input, values, "out", f)), Map.of(input, places(values)));
  }

  private static List<String> places(List<String> values) {
    return IntStream.range(0, values.size()).mapToObj(i -> "in-0@" + i).toList();
  }

  private static List<Content> seen(Origins origins, String topic, String... values) {
    List<Content> contents = new ArrayList<>();
    for (int i = 0; i < values.length; i++) {
      origins.see(
          new ConsumerRecord<>(topic, 0, i, null, values[i].getBytes(StandardCharsets.UTF_8)));
      contents.add(origins.content(new Topics.Line(topic + "-0", topic, i, "", values[i])));
    }
    return contents;
  }

  private static List<String> origins(Origins origins, String... values) {
    return seen(origins, "out", values).stream().map(Content::origin).toList();
  }

  @Test
  void one_of_each_has_the_place_of_its_input() {
    Origins origins =
        origins(List.of("a", "b", "a"), all -> all.stream().map(it -> it + "!").toList());
    assertThat(origins.flows("g")).containsExactly(new Event.Flow("g", "in", "out", Takes.EACH));
    assertThat(origins(origins, "b!", "a!", "a!", "a!", "c!"))
        .containsExactly("in-0@1", "in-0@0", "in-0@2", "in-0@2", "nothing");
    assertThat(origins(origins, "b!", "a!", "a!")).as("seen again").startsWith("in-0@1", "in-0@0");
  }

  @Test
  void several_of_one_are_numbered_and_none_of_some_is_known() {
    Origins origins =
        origins(
            List.of("a", "bb", ""),
            all ->
                all.stream()
                    .flatMap(it -> Stream.of(it.split("(?!^)")))
                    .filter(it -> !it.isEmpty())
                    .toList());
    assertThat(origins.flows("g")).containsExactly(new Event.Flow("g", "in", "out", Takes.SOME));
    assertThat(origins(origins, "a", "b", "b")).containsExactly("in-0@0", "in-0@1#1", "in-0@1#2");
  }

  @Test
  void what_is_made_of_several_records_is_not_known() {
    Origins counts = origins(List.of("a", "b"), all -> List.of("" + all.size()));
    assertThat(counts.flows("g")).isEmpty();
    assertThat(seen(counts, "out", "2")).containsExactly(Content.NONE);
    assertThat(origins(List.of("a", "a"), all -> all.stream().distinct().toList()).flows("g"))
        .isEmpty();
  }

  @Test
  void one_topic_that_is_made_of_two_is_not_known() {
    List<String> values = List.of("a");
    TopicContent one = content("in", values);
    TopicContent other = content("other", values);
    Origins origins =
        new Origins(
            List.of(made(one, values, "out", it -> it), made(other, values, "out", it -> it)),
            Map.of(one, places(values), other, places(values)));
    assertThat(origins.flows("g")).isEmpty();
  }

  @Test
  void numbers_that_go_on_as_they_are_are_amounts() {
    Origins origins = origins(List.of("1.50", "2"), all -> all);
    assertThat(seen(origins, "in", "1.50", "2"))
        .extracting(Content::amount)
        .containsExactly("1.50", "2");
    assertThat(seen(origins, "out", "2", "7"))
        .extracting(Content::amount)
        .containsExactly("2", "7");
    Origins doubled = origins(List.of("1", "2"), all -> all.stream().map(it -> it + it).toList());
    assertThat(seen(doubled, "in", "1")).extracting(Content::amount).containsExactly("");
  }
}
