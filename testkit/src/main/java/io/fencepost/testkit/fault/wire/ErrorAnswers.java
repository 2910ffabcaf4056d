package io.fencepost.testkit.fault.wire;

import io.fencepost.broker.port.Bytes;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.WireException;
import io.fencepost.broker.wire.WireMessage;
import io.fencepost.broker.wire.WireReader;
import io.fencepost.broker.wire.WireWriter;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to any request that says one error everywhere: of the request as a whole, and of each
 * topic, partition, transaction, group or key in it, as far as the answer has a place for it.
 *
 * <p>A fetch is different: its outermost error is about the session, so it stays clean if the error
 * can be said of partitions.
 */
public final class ErrorAnswers {
  private static final String MESSAGES = "io.fencepost.broker.wire.message.";

  private final WireError error;
  private final boolean outermost;
  private final boolean inner;
  private final boolean sentences;
  private boolean said;

  private ErrorAnswers(WireError error, boolean outermost, boolean inner, boolean sentences) {
    this.error = error;
    this.outermost = outermost;
    this.inner = inner;
    this.sentences = sentences;
  }

  /** The answer in that version; null if it has no place for an error. */
  public static @Nullable WireMessage answer(
      ApiKey api, int version, WireMessage request, WireError error) {
    boolean[][] attempts =
        isOfPartitions(api, error)
            ? new boolean[][] {{false, true}, {true, false}}
            : new boolean[][] {{true, true}, {false, true}, {true, false}};
    for (boolean[] attempt : attempts) {
      for (boolean sentences : new boolean[] {true, false}) {
        ErrorAnswers answers = new ErrorAnswers(error, attempt[0], attempt[1], sentences);
        WireMessage answer = (WireMessage) Shape.make(answerClass(api));
        answers.fill(answer, request, true);
        if (answers.said && survives(api, version, answer)) {
          return answer;
        }
      }
    }
    return null;
  }

  /** Whether answers to these requests have a place for an error at all. */
  static boolean isPossible(ApiKey api) {
    return mayErr(answerClass(api));
  }

  private static boolean isOfPartitions(ApiKey api, WireError error) {
    boolean session =
        switch (error) {
          case FETCH_SESSION_ID_NOT_FOUND,
              INVALID_FETCH_SESSION_EPOCH,
              FETCH_SESSION_TOPIC_ID_ERROR,
              SHARE_SESSION_NOT_FOUND,
              INVALID_SHARE_SESSION_EPOCH ->
              true;
          default -> false;
        };
    return (api == ApiKey.FETCH || api == ApiKey.SHARE_FETCH) && !session;
  }

  private static Class<?> answerClass(ApiKey api) {
    try {
      return Class.forName(MESSAGES + api.apiName() + "Response");
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException("no answer to " + api, e);
    }
  }

  /** A version that has no field for something refuses to write it, or leaves it out. */
  private static boolean survives(ApiKey api, int version, WireMessage answer) {
    try {
      WireWriter out = new WireWriter();
      answer.write(out, version);
      return errs(api.readResponse(new WireReader(out.toBuffer()), version));
    } catch (WireException e) {
      return false;
    }
  }

  private static boolean errs(Object struct) {
    for (Field field : Shape.fields(struct.getClass())) {
      Object value = Shape.get(field, struct);
      if (isError(field) && value instanceof Short code && code != 0) {
        return true;
      }
      if (value instanceof List<?> parts
          && parts.stream().anyMatch(part -> Shape.isStruct(part.getClass()) && errs(part))) {
        return true;
      }
    }
    return false;
  }

  private static boolean mayErr(Class<?> struct) {
    for (Field field : Shape.fields(struct)) {
      Class<?> element = Shape.elementOf(field);
      if (isError(field) || (element != null && Shape.isStruct(element) && mayErr(element))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isError(Field field) {
    String name = field.getName();
    return field.getType() == short.class
        && (name.equals("errorCode") || name.equals("partitionErrorCode"));
  }

  /**
   * @param question the request, the part of it or the bare key that this part of the answer is
   *     about
   */
  private void fill(Object answer, Object question, boolean whole) {
    boolean keyTaken = false;
    for (Field field : Shape.fields(answer.getClass())) {
      Class<?> element = Shape.elementOf(field);
      if (isError(field)) {
        if (whole ? outermost : inner) {
          Shape.set(field, answer, error.code());
          said = true;
        }
      } else if (field.getName().equals("errorMessage")) {
        if (sentences && (whole ? outermost : inner)) {
          Shape.set(field, answer, "Answered by a fault plan: " + error.sentence());
        }
      } else if (element != null) {
        if (Shape.isStruct(element)) {
          Shape.set(field, answer, parts(answer.getClass(), field, element, question));
        }
      } else if (field.getType() == Bytes.class) {
        Shape.set(field, answer, Bytes.EMPTY);
      } else if (isPosition(field)) {
        Shape.set(field, answer, -1L);
      } else if (isKey(field, whole)) {
        boolean bare = question.getClass() == boxed(field.getType());
        if (bare && !keyTaken) {
          Shape.set(field, answer, question);
          keyTaken = true;
        } else if (!bare) {
          copy(field, answer, question);
        }
      }
    }
  }

  private static void copy(Field field, Object answer, Object question) {
    Field source = Shape.same(question.getClass(), field);
    Object value = source == null ? null : Shape.get(source, question);
    if (value != null) {
      Shape.set(field, answer, value);
    }
  }

  /** Offsets of a refused request: none. */
  private static boolean isPosition(Field field) {
    return field.getType() == long.class
        && (field.getName().endsWith("Offset") || field.getName().endsWith("Watermark"));
  }

  /** What an answer repeats of its question, so that the two can be matched. */
  private static boolean isKey(Field field, boolean whole) {
    Class<?> type = field.getType();
    return type == String.class
        || type == Uuid.class
        || type == byte.class
        || (type == int.class
            && (Shape.isPartition(field.getName()) || field.getName().equals("sessionId")))
        || (type == long.class && !whole && field.getName().equals("producerId"));
  }

  private static Class<?> boxed(Class<?> type) {
    return type == int.class ? Integer.class : type;
  }

  private List<Object> parts(Class<?> answer, Field field, Class<?> element, Object question) {
    List<Object> parts = new ArrayList<>();
    Field source =
        Shape.isStruct(question.getClass()) ? source(answer, field, element, question) : null;
    if (source != null && Shape.get(source, question) instanceof List<?> asked) {
      for (Object each : asked) {
        Object part = Shape.make(element);
        fill(part, each, false);
        parts.add(part);
      }
    }
    return parts;
  }

  /**
   * The list of the request that these parts of the answer stand for: the one with most keys in
   * common; or the only one there is, as some answers say by their order what they are about.
   */
  private static @Nullable Field source(
      Class<?> answer, Field field, Class<?> element, Object question) {
    List<Field> asked = new ArrayList<>();
    for (Field candidate : Shape.fields(question.getClass())) {
      if (Shape.get(candidate, question) instanceof List<?> all && !all.isEmpty()) {
        asked.add(candidate);
      }
    }
    Field best = null;
    int bestScore = 0;
    for (Field candidate : asked) {
      boolean namesake = candidate.getName().equals(field.getName());
      int score = mayErr(element) ? 2 * score(element, candidate) : 0;
      if (namesake && (score > 0 || !mayErr(element))) {
        score++;
      }
      if (score > bestScore) {
        best = candidate;
        bestScore = score;
      }
    }
    boolean byOrder =
        best == null && asked.size() == 1 && mayErr(element) && !isClaimed(answer, asked.get(0));
    return byOrder ? asked.get(0) : best;
  }

  /** Whether some list of the answer has keys in common with that list of the request. */
  private static boolean isClaimed(Class<?> answer, Field asked) {
    for (Field field : Shape.fields(answer)) {
      Class<?> element = Shape.elementOf(field);
      if (element != null
          && Shape.isStruct(element)
          && mayErr(element)
          && score(element, asked) > 0) {
        return true;
      }
    }
    return false;
  }

  private static int score(Class<?> element, Field list) {
    Class<?> asked = Shape.elementOf(list);
    int score = 0;
    for (Field field : Shape.fields(element)) {
      if (isKey(field, false) && !field.getName().equals("errorMessage")) {
        boolean found =
            (asked != null && Shape.isStruct(asked))
                ? Shape.same(asked, field) != null
                : (score == 0 && boxed(field.getType()) == asked);
        score += found ? 1 : 0;
      }
    }
    return score;
  }
}
