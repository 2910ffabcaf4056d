package io.fencepost.streams;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Names one outside effect of one input, the same at every replay of that input: after an abort, a
 * crash, on another instance, after a reset of the group's offsets. Two effects never share a key,
 * as long as no topic is deleted and made anew under its name and no timer is set once more to the
 * very time at which it has fired.
 *
 * <p>Behind {@link Flow#keyBy} the input is the record in the job's own topic. If the offsets of
 * the source before it are reset, or the job works at least once and repeats, then records are
 * written there anew, and theirs are new keys: where that matters, have the effect before keyBy.
 *
 * @param applicationId of the job
 * @param effect name of the operator that has the effect
 * @param origin the input record, or for a timer its operator, partition and due time
 * @param timer digest of the timer's kind, name and key; empty for an input record
 * @param index how many effects of that operator the same input had before this one
 */
public record EffectKey(
    String applicationId, String effect, Origin origin, String timer, int index) {
  /** The header that {@link Flow#stampEffectKeys} writes. */
  public static final String HEADER = "fencepost.effect.key";

  /**
   * The key that the message carries in {@link #HEADER}; null if it carries none.
   *
   * @throws IllegalArgumentException if the header is no key
   */
  public static @Nullable EffectKey of(Message<?, ?> message) {
    Header header = message.headers().lastHeader(HEADER);
    byte[] text = header == null ? null : header.value();
    return text == null ? null : parse(new String(text, StandardCharsets.UTF_8));
  }

  /**
   * The key of that text.
   *
   * @throws IllegalArgumentException if {@link #toString} made no such text
   */
  public static EffectKey parse(String text) {
    String[] parts = text.split("/", -1);
    if (parts.length != 6 && parts.length != 7) {
      throw noKey(text, null);
    }
    try {
      int last = parts.length - 1;
      Origin origin =
          new Origin(
              parts[2], Integer.parseInt(parts[3]), Long.parseLong(parts[last == 5 ? 4 : 5]));
      String timer = last == 5 ? "" : parts[4];
      return new EffectKey(parts[0], parts[1], origin, timer, Integer.parseInt(parts[last]));
    } catch (NumberFormatException e) {
      throw noKey(text, e);
    }
  }

  private static IllegalArgumentException noKey(String text, @Nullable Throwable cause) {
    return new IllegalArgumentException(
        "\""
            + text
            + "\" is no effect key; it reads application.id/effect/topic/partition/offset/index",
        cause);
  }

  /** A UUID made of the text form, for receivers that ask for one. */
  public UUID uuid() {
    return UUID.nameUUIDFromBytes(toString().getBytes(StandardCharsets.UTF_8));
  }

  /**
   * {@code application.id/effect/topic/partition/offset/index}; of a timer {@code
   * application.id/effect/operator/partition/timer/due time/index}. No part holds a slash.
   */
  @Override
  public String toString() {
    String middle = timer.isEmpty() ? "" : timer + "/";
    return applicationId
        + "/"
        + effect
        + "/"
        + origin.topic()
        + "/"
        + origin.partition()
        + "/"
        + middle
        + origin.offset()
        + "/"
        + index;
  }
}
