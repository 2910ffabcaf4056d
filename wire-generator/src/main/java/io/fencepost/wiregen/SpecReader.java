package io.fencepost.wiregen;

import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Parses specification files: JSON with line comments. */
final class SpecReader {
  private final JsonMapper json =
      JsonMapper.builder().enable(JsonReadFeature.ALLOW_JAVA_COMMENTS).build();

  /** All messages of a directory that still have a valid version, in the order of their names. */
  List<MessageSpec> readAll(Path directory) throws IOException {
    List<Path> files;
    try (Stream<Path> listing = Files.list(directory)) {
      files = listing.filter(f -> f.toString().endsWith(".json")).sorted().toList();
    }
    List<MessageSpec> messages = new ArrayList<>();
    for (Path file : files) {
      JsonNode node = json.readTree(file.toFile());
      try {
        if (!versions(node, "validVersions", Versions.NONE).isEmpty()) {
          messages.add(message(node));
        }
      } catch (IllegalArgumentException e) {
        throw new IOException("Cannot understand " + file + ": " + e.getMessage(), e);
      }
    }
    return messages;
  }

  private MessageSpec message(JsonNode node) {
    Versions valid = versions(node, "validVersions", Versions.NONE);
    Versions flexible = versions(node, "flexibleVersions", Versions.NONE);
    List<StructSpec> structs = new ArrayList<>();
    String name = node.path("name").asText();
    StructSpec root = struct(name, node.path("fields"), valid, flexible, structs);
    for (JsonNode common : node.path("commonStructs")) {
      Versions here = versions(common, "versions", valid).intersect(valid);
      structs.add(
          struct(common.path("name").asText(), common.path("fields"), here, flexible, structs));
    }
    List<String> listeners = new ArrayList<>();
    node.path("listeners").forEach(listener -> listeners.add(listener.asText()));
    return new MessageSpec(
        name,
        node.path("type").asText(),
        node.path("apiKey").asInt(-1),
        listeners,
        valid,
        flexible,
        node.path("latestVersionUnstable").asBoolean(false),
        root,
        structs);
  }

  private StructSpec struct(
      String name, JsonNode fields, Versions valid, Versions flexible, List<StructSpec> structs) {
    List<FieldSpec> specs = new ArrayList<>();
    for (JsonNode node : fields) {
      FieldSpec field = field(name, node, valid, flexible);
      specs.add(field);
      if (node.has("fields")) {
        structs.add(
            struct(
                field.type().structName(),
                node.path("fields"),
                field.versions(),
                flexible,
                structs));
      }
    }
    return new StructSpec(name, valid, specs);
  }

  private static FieldSpec field(
      String structName, JsonNode node, Versions valid, Versions flexible) {
    String specified = node.path("name").asText();
    String name = specified.substring(0, 1).toLowerCase(Locale.ROOT) + specified.substring(1);
    Versions tagged = versions(node, "taggedVersions", Versions.NONE);
    Versions versions = versions(node, "versions", tagged).intersect(valid);
    return new FieldSpec(
        structName,
        name,
        FieldType.parse(node.path("type").asText()),
        versions,
        tagged.intersect(versions),
        versions(node, "nullableVersions", Versions.NONE).intersect(versions),
        versions(node, "flexibleVersions", flexible),
        node.path("tag").asInt(-1),
        node.path("ignorable").asBoolean(false),
        node.path("default").asText(""));
  }

  private static Versions versions(JsonNode node, String key, Versions absent) {
    return node.has(key) ? Versions.parse(node.path(key).asText()) : absent;
  }
}
