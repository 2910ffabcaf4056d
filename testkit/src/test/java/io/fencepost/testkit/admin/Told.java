package io.fencepost.testkit.admin;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.KafkaFuture;

/**
 * What a client was told, as lines: maps and sets in order of their text, futures by their result,
 * failures by the class of their cause (sentences differ between brokers). Runs with any version of
 * kafka-clients, so it knows no class that is not in all of them.
 */
final class Told {
  private final List<List<String>> steps = new ArrayList<>();

  /** One call. */
  interface Call {
    Object make() throws Exception;
  }

  List<List<String>> steps() {
    return steps;
  }

  /** Makes the call and notes the answer under this title. */
  void step(String title, Call call) {
    List<String> lines = new ArrayList<>();
    lines.add(title);
    try {
      Object answer = call.make();
      if (answer instanceof List<?> list) {
        list.forEach(each -> lines.add(text(each)));
      } else if (answer instanceof Map<?, ?> map) {
        List<String> entries = new ArrayList<>();
        map.forEach((key, value) -> entries.add(text(key) + " = " + text(value)));
        entries.sort(null);
        lines.addAll(entries);
      } else {
        lines.add(text(answer));
      }
    } catch (LinkageError | NoSuchMethodException missing) {
      lines.add("not in this version");
    } catch (Exception failed) {
      lines.add(failure(failed));
    }
    steps.add(lines);
  }

  /** The first of these methods that the result has, called; for results that changed names. */
  static Object of(Object result, String... getters) throws Exception {
    for (String getter : getters) {
      for (Method method : result.getClass().getMethods()) {
        if (method.getName().equals(getter) && method.getParameterCount() == 0) {
          return invoked(method, result);
        }
      }
    }
    throw new NoSuchMethodException(String.join(", ", getters));
  }

  private static Object invoked(Method method, Object result) throws Exception {
    try {
      return method.invoke(result);
    } catch (InvocationTargetException failed) {
      throw failed.getCause() instanceof Exception cause ? cause : failed;
    }
  }

  static String text(Object value) {
    try {
      return shown(value);
    } catch (Exception failed) {
      return failure(failed);
    }
  }

  private static String shown(Object value) throws Exception {
    if (value instanceof KafkaFuture<?> future) {
      return shown(future.get());
    }
    if (value instanceof Optional<?> optional) {
      return optional.isPresent() ? shown(optional.get()) : "none";
    }
    if (value instanceof Map<?, ?> map) {
      List<String> entries = new ArrayList<>();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        entries.add(shown(entry.getKey()) + "=" + text(entry.getValue()));
      }
      entries.sort(null);
      return entries.toString();
    }
    if (value instanceof Collection<?> collection) {
      List<String> entries = new ArrayList<>();
      collection.forEach(each -> entries.add(text(each)));
      if (value instanceof Set<?>) {
        entries.sort(null);
      }
      return entries.toString();
    }
    if (value instanceof Throwable failed) {
      return failure(failed);
    }
    return String.valueOf(value);
  }

  private static String failure(Throwable failed) {
    Throwable cause = failed;
    while (cause instanceof ExecutionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return "! " + cause.getClass().getSimpleName();
  }
}
