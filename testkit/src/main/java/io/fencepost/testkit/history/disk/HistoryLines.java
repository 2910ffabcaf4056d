package io.fencepost.testkit.history.disk;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.EventNames;
import io.fencepost.testkit.history.History;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Events to JSON lines and back. Thread-safe. */
public final class HistoryLines {
  private static final JsonFactory JSON = new JsonFactory();
  private static final Map<Class<?>, EventForm> FORMS = new HashMap<>();

  /** By name; the first is for invocations. */
  private static final Map<String, EventForm> ASKED = new HashMap<>();

  private static final Map<String, EventForm> DONE = new HashMap<>();

  static {
    for (Class<? extends Event> kind : EventNames.kinds()) {
      EventForm form = new EventForm(kind);
      FORMS.put(kind, form);
      (form.isInvocation() ? ASKED : DONE).put(form.name(), form);
    }
  }

  private HistoryLines() {}

  /** What came of reading a line. */
  record Parsed(@Nullable Event event, @Nullable String unknownName, long atMs) {}

  /** The names of all events. */
  public static List<String> names() {
    return List.copyOf(new TreeSet<>(DONE.keySet()));
  }

  /** The text without what moves a terminal's cursor or colours. */
  static String printable(String text) {
    return text.replaceAll("\\p{Cc}", "?");
  }

  /** The event as a line, without its end. */
  public static String text(Event event) {
    return text(event, null, -1);
  }

  /**
   * The same, with who saw it and when.
   *
   * @param atMs since the epoch, by the clock of who writes; below 0 to leave it out
   */
  static String text(Event event, @Nullable String who, long atMs) {
    StringWriter text = new StringWriter(160);
    EventForm form = form(event);
    try (JsonGenerator json = JSON.createGenerator(text)) {
      json.writeStartObject();
      json.writeStringField("event", form.name());
      if (atMs >= 0) {
        json.writeNumberField("at", atMs);
      }
      if (who != null) {
        json.writeStringField("who", who);
      }
      form.write(event, json);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  private static EventForm form(Event event) {
    EventForm form = FORMS.get(event.getClass());
    if (form == null) {
      throw new IllegalStateException("no form for " + event);
    }
    return form;
  }

  /** Reads a line of UTF-8 by way of the fields of its file. */
  static Parsed parse(byte[] line, int length, Fields fields) throws LineException {
    read(line, length, fields);
    String name = fields.text("event");
    boolean isAsked = fields.says("outcome", EventForm.INVOKED);
    EventForm form = (isAsked && ASKED.containsKey(name) ? ASKED : DONE).get(name);
    return form == null
        ? new Parsed(null, name, History.NO_TIME)
        : new Parsed(form.read(fields), null, fields.timeMs("at", History.NO_TIME));
  }

  private static void read(byte[] line, int length, Fields fields) throws LineException {
    try (JsonParser json = JSON.createParser(line, 0, length)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new LineException("a line is a JSON object", false);
      }
      fields.read(json);
      if (json.nextToken() != null) {
        throw new LineException("a line is one JSON object, and this has more", true);
      }
    } catch (JsonProcessingException e) {
      throw new LineException(
          "a line is a JSON object: " + printable(e.getOriginalMessage()), false);
    } catch (IOException e) {
      throw new LineException("a line is a JSON object in UTF-8: " + e.getMessage(), false);
    }
  }
}
