package io.fencepost.txn.group.consumer;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.fencepost.txn.regex.RegexSize;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A pattern for topic names in RE2 syntax, and what it matches. Matching takes time linear in the
 * length of a name, whatever the pattern; the size of the compiled pattern is bounded. Made outside
 * of locks.
 *
 * @param fault why it is no good, null if it is
 * @param matches the names of topics that it matches as a whole
 */
public record TopicRegex(String text, @Nullable String fault, SortedSet<String> matches) {
  /** Finds the topics that the pattern matches; an empty pattern matches nothing. */
  public static TopicRegex of(String text, TopicsView topics) {
    SortedSet<String> matches = new TreeSet<>();
    if (text.isEmpty()) {
      return new TopicRegex(text, null, matches);
    }
    String tooBig = RegexSize.complaint(text);
    if (tooBig != null) {
      return new TopicRegex(text, tooBig, matches);
    }
    try {
      Pattern pattern = Pattern.compile(text);
      for (String name : topics.names()) {
        if (pattern.matches(name)) {
          matches.add(name);
        }
      }
      return new TopicRegex(text, null, matches);
    } catch (PatternSyntaxException e) {
      return new TopicRegex(
          text, "The pattern " + text + " is not in RE2 syntax: " + e.getMessage(), matches);
    }
  }
}
