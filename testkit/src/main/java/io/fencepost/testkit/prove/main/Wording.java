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

  static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    for (String word : line.split(" ", -1)) {
      words.add(URLDecoder.decode(word, StandardCharsets.UTF_8));
    }
    return words;
  }
}
