package io.fencepost.testkit.answers;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Small things for requests. */
final class Talks {
  private Talks() {}

  static String text(@Nullable String text) {
    return text == null ? "" : text;
  }

  static <T> List<T> listOf(T element) {
    return new ArrayList<>(List.of(element));
  }
}
