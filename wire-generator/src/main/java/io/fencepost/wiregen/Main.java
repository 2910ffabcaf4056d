package io.fencepost.wiregen;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads the specifications of a directory and writes one class per message. Arguments are {@code
 * key=value}: {@code specs}, {@code out} and {@code package} are required; {@code listener}, {@code
 * excludeApis}, {@code names}, {@code coordinatorRecords} and {@code excludePrefixes} select;
 * {@code apiEnum} is the full name of the enum of the selected APIs. Files whose text does not
 * change are not touched, so that the compiler sees nothing new; files that are no longer wanted
 * are deleted.
 */
public final class Main {
  private final Map<String, String> arguments = new TreeMap<>();

  private Main(String[] args) {
    for (String arg : args) {
      int equals = arg.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException("Expected key=value, got " + arg);
      }
      arguments.put(arg.substring(0, equals), arg.substring(equals + 1));
    }
  }

  public static void main(String[] args) throws IOException {
    new Main(args).run();
  }

  private void run() throws IOException {
    List<MessageSpec> all = new SpecReader().readAll(Path.of(required("specs")));
    Selection selection =
        new Selection(
            arguments.getOrDefault("listener", ""),
            list("excludeApis").stream().map(Integer::valueOf).collect(Collectors.toSet()),
            Set.copyOf(list("names")),
            arguments.containsKey("coordinatorRecords"),
            list("excludePrefixes"));
    String packageName = required("package");
    Map<Path, String> files = new TreeMap<>();
    for (MessageSpec message : selection.messages(all)) {
      files.put(pathOf(packageName, message.name()), new ClassEmitter(message, packageName).emit());
    }
    if (files.isEmpty()) {
      throw new IllegalStateException("No specification selected in " + required("specs"));
    }
    files.put(pathOf(packageName, "package-info"), packageInfo(packageName));
    String apiEnum = arguments.get("apiEnum");
    if (apiEnum != null) {
      int dot = apiEnum.lastIndexOf('.');
      String enumPackage = apiEnum.substring(0, dot);
      String enumName = apiEnum.substring(dot + 1);
      files.put(
          pathOf(enumPackage, enumName),
          new ApiKeyEmitter(selection.requests(all), packageName).emit(enumPackage, enumName));
    }
    writeChanged(Path.of(required("out")), files);
  }

  private static void writeChanged(Path root, Map<Path, String> files) throws IOException {
    Files.createDirectories(root);
    Set<Path> stale = new TreeSet<>();
    try (Stream<Path> tree = Files.walk(root)) {
      tree.filter(Files::isRegularFile).map(root::relativize).forEach(stale::add);
    }
    for (Map.Entry<Path, String> file : files.entrySet()) {
      stale.remove(file.getKey());
      Path target = root.resolve(file.getKey());
      byte[] text = file.getValue().getBytes(StandardCharsets.UTF_8);
      if (!Files.exists(target) || !Arrays.equals(Files.readAllBytes(target), text)) {
        Files.createDirectories(Objects.requireNonNull(target.getParent()));
        Files.write(target, text);
      }
    }
    for (Path path : stale) {
      Files.delete(root.resolve(path));
    }
  }

  private static Path pathOf(String packageName, String className) {
    return Path.of(packageName.replace('.', '/'), className + ".java");
  }

  private static String packageInfo(String packageName) {
    return """
    /** Messages generated from Kafka's specifications: one class each, for all its versions. */
    @NullMarked
    package %s;

    import org.jspecify.annotations.NullMarked;
    """
        .formatted(packageName);
  }

  private String required(String key) {
    String value = arguments.get(key);
    if (value == null) {
      throw new IllegalArgumentException("The argument " + key + "=... is missing");
    }
    return value;
  }

  private List<String> list(String key) {
    List<String> items = new ArrayList<>();
    for (String item : arguments.getOrDefault(key, "").split(",", -1)) {
      if (!item.isBlank()) {
        items.add(item.trim());
      }
    }
    return items;
  }
}
