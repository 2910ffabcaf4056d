package io.fencepost.testkit.report.disk;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A Chromium without a window that opens one page, told what to do by its DevTools protocol. */
final class Chromium implements AutoCloseable {
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
  private static final Pattern ID = Pattern.compile("^\\{\"id\":(\\d+),");
  private static final Pattern VALUE = Pattern.compile("\"value\":\"((?:[^\"\\\\]|\\\\.)*)\"");
  private static final int PATIENCE_SECONDS = 60;

  private final Process process;
  private final WebSocket socket;
  private final String session;
  private final AtomicInteger ids = new AtomicInteger();
  private final Map<Integer, CompletableFuture<String>> asked = new ConcurrentHashMap<>();
  private final List<String> events = new CopyOnWriteArrayList<>();
  private volatile CompletableFuture<String> loaded = new CompletableFuture<>();

  private Chromium(Process process, String url) {
    this.process = process;
    this.socket =
        HttpClient.newHttpClient()
            .newWebSocketBuilder()
            .buildAsync(URI.create(url), new Listener())
            .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
            .join();
    String target = group(call("", "Target.createTarget", "\"url\":\"about:blank\""), "targetId");
    session =
        group(
            call(
                "",
                "Target.attachToTarget",
                "\"targetId\":\"%s\",\"flatten\":true".formatted(target)),
            "sessionId");
    Stream.of("Page", "Runtime", "Log", "Network").forEach(it -> call(it + ".enable", ""));
  }

  /** The one that is installed here, if any. */
  static Optional<Path> installed() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .flatMap(directory -> NAMES.stream().map(name -> Path.of(directory, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * Starts it.
   *
   * @param profile a directory that is its own
   */
  static Chromium start(Path executable, Path profile) throws IOException {
    Process process =
        new ProcessBuilder(
                executable.toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile,
                "about:blank")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    StringBuilder said = new StringBuilder();
    BufferedReader errors =
        new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8));
    for (String line = errors.readLine(); line != null; line = errors.readLine()) {
      said.append(line).append('\n');
      int url = line.indexOf("ws://");
      if (url >= 0) {
        Thread drain = new Thread(() -> errors.lines().forEach(more -> {}), "chromium-errors");
        drain.setDaemon(true);
        drain.start();
        return new Chromium(process, line.substring(url).strip());
      }
    }
    throw new IOException("Chromium did not start: " + said);
  }

  private final class Listener implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      text.append(data);
      if (last) {
        take(text.toString());
        text.setLength(0);
      }
      from.request(1);
      return CompletableFuture.completedFuture(null);
    }
  }

  private void take(String message) {
    Matcher id = ID.matcher(message);
    if (id.find()) {
      CompletableFuture<String> answer = asked.remove(Integer.valueOf(id.group(1)));
      if (answer != null) {
        answer.complete(message);
      }
      return;
    }
    events.add(message);
    if (message.contains("\"Page.loadEventFired\"")) {
      loaded.complete(message);
    }
  }

  private String call(String method, String parameters) {
    return call(",\"sessionId\":\"" + session + "\"", method, parameters);
  }

  private String call(String address, String method, String parameters) {
    int id = ids.incrementAndGet();
    CompletableFuture<String> answer = new CompletableFuture<>();
    asked.put(id, answer);
    String message =
        "{\"id\":%d,\"method\":\"%s\",\"params\":{%s}%s}"
            .formatted(id, method, parameters, address);
    var unused = socket.sendText(message, true).join();
    String result = answer.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    if (result.contains("\"error\":{")) {
      throw new IllegalStateException(method + ": " + result);
    }
    return result;
  }

  private static String group(String message, String field) {
    Matcher matcher = Pattern.compile("\"" + field + "\":\"([^\"]*)\"").matcher(message);
    if (!matcher.find()) {
      throw new IllegalStateException("no " + field + " in " + message);
    }
    return matcher.group(1);
  }

  /**
   * Opens a file and waits until it is loaded.
   *
   * @param scheme light or dark
   */
  void open(Path page, int width, int height, String scheme) {
    call(
        "Emulation.setDeviceMetricsOverride",
        "\"width\":%d,\"height\":%d,\"deviceScaleFactor\":1,\"mobile\":%b"
            .formatted(width, height, width < 600));
    call(
        "Emulation.setEmulatedMedia",
        "\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\"%s\"}]".formatted(scheme));
    events.clear();
    loaded = new CompletableFuture<>();
    call("Page.navigate", "\"url\":\"%s\"".formatted(page.toUri()));
    loaded.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
  }

  /** What an expression gives as text; it has no double quotes. */
  String evaluate(String expression) {
    String answer =
        call(
            "Runtime.evaluate",
            "\"expression\":\"String(%s)\",\"returnByValue\":true".formatted(expression));
    Matcher value = VALUE.matcher(answer);
    if (answer.contains("exceptionDetails") || !value.find()) {
      throw new IllegalStateException(expression + ": " + answer);
    }
    return value.group(1);
  }

  /** A number that an expression gives. */
  double number(String expression) {
    return Double.parseDouble(evaluate(expression));
  }

  /** Presses and lets go a key that writes a character. */
  void press(String key) {
    call("Input.dispatchKeyEvent", "\"type\":\"keyDown\",\"key\":\"%s\"".formatted(key));
    call("Input.dispatchKeyEvent", "\"type\":\"keyUp\",\"key\":\"%s\"".formatted(key));
  }

  /** Everything that pages complain about: in the console, or by an exception. */
  List<String> complaints() {
    return events.stream()
        .filter(
            event ->
                event.contains("\"Runtime.exceptionThrown\"")
                    || event.contains("\"Runtime.consoleAPICalled\"")
                    || event.contains("\"Log.entryAdded\""))
        .toList();
  }

  /** All that was asked for. */
  List<String> requests() {
    List<String> urls = new ArrayList<>();
    for (String event : events) {
      if (event.contains("\"Network.requestWillBeSent\"")) {
        urls.add(group(event, "url"));
      }
    }
    return urls;
  }

  /** The whole page as a picture. */
  void screenshot(Path file) throws IOException {
    String answer =
        call("Page.captureScreenshot", "\"format\":\"png\",\"captureBeyondViewport\":true");
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.write(file, Base64.getDecoder().decode(group(answer, "data")));
  }

  /** The size of the page as a document to print, in bytes. */
  int printed() {
    return Base64.getDecoder().decode(group(call("Page.printToPDF", ""), "data")).length;
  }

  @Override
  public void close() {
    socket.abort();
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    process.onExit().join();
  }
}
