package io.fencepost.testkit.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;

/** What the lists OMITTED.md say of APIs that are not served. */
final class OmittedApis {
  private static final Path BROKER =
      Path.of("..", "broker", "src/main/java/io/fencepost/broker/api/OMITTED.md");
  private static final Path GROUPS =
      Path.of("..", "txn-coordinator", "src/main/java/io/fencepost/txn/group/api/OMITTED.md");

  private OmittedApis() {}

  /** The APIs in the first column of the table "API | why not". */
  static TreeSet<String> listed() throws IOException {
    TreeSet<String> names = new TreeSet<>();
    boolean inTable = false;
    for (String line : Files.readAllLines(BROKER)) {
      if (line.startsWith("| API | why not")) {
        inTable = true;
      } else if (!line.startsWith("|")) {
        inTable = false;
      } else if (inTable && !line.startsWith("| ---")) {
        names.addAll(List.of(line.split("\\|")[1].trim().split(",\\s*")));
      }
    }
    return names;
  }

  /** Those, and every word about groups. */
  static TreeSet<String> mentioned() throws IOException {
    TreeSet<String> names = listed();
    names.addAll(List.of(Files.readString(GROUPS).split("[^A-Za-z]+")));
    return names;
  }
}
