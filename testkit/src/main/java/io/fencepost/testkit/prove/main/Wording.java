package io.fencepost.testkit.prove.main;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A message between a proof and the process of its job: words in one line. */
final class Wording {
  private Wording() {}

  static String line(Object... words) {
    List<String> written = new ArrayList<>();
    for (Object word : words) {
      written.add(URLEncoder.encode(String.valueOf(word), StandardCharsets.UTF_8));
    }
    return String.join(" ", written);
  }

  /** What was written by {@link #line}; other text, as a Java machine may print, as one word. */
  static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    try {
      for (String word : line.split(" ", -1)) {
        words.add(URLDecoder.decode(word, StandardCharsets.UTF_8));
      }
      return words;
    } catch (IllegalArgumentException e) {
      return List.of(line);
    }
  }
}
