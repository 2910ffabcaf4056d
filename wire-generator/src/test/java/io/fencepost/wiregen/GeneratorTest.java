package io.fencepost.wiregen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GeneratorTest {
  @TempDir Path directory;

  @Test
  void a_version_range_becomes_the_shortest_condition() {
    Versions possible = new Versions(3, 13);
    assertThat(Versions.parse("0+").condition(possible)).isEqualTo("true");
    assertThat(Versions.parse("none").condition(possible)).isEqualTo("false");
    assertThat(Versions.parse("0-2").condition(possible)).isEqualTo("false");
    assertThat(Versions.parse("9+").condition(possible)).isEqualTo("version >= 9");
    assertThat(Versions.parse("0-12").condition(possible)).isEqualTo("version <= 12");
    assertThat(Versions.parse("13+").condition(possible)).isEqualTo("version == 13");
    assertThat(Versions.parse("5-7").condition(possible)).isEqualTo("version >= 5 && version <= 7");
  }

  @Test
  void an_unknown_type_is_named_with_its_file() throws IOException {
    specify("\"type\": \"int128\", \"versions\": \"0+\"");
    assertThatThrownBy(this::generate)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Thing.json")
        .hasMessageContaining("int128");
  }

  @Test
  void a_second_run_touches_nothing_that_is_the_same_and_deletes_what_is_gone() throws Exception {
    specify("\"type\": \"int32\", \"versions\": \"0+\", \"default\": \"0x7f\"");
    generate();
    Path written = directory.resolve("out/a/b/Thing.java");
    assertThat(written).content().contains("public int size = 0x7f;");
    FileTime old = FileTime.fromMillis(1_000);
    Files.setLastModifiedTime(written, old);
    Path stale = Files.writeString(directory.resolve("out/a/b/Gone.java"), "class Gone {}");
    generate();
    assertThat(Files.getLastModifiedTime(written)).isEqualTo(old);
    assertThat(stale).doesNotExist();
  }

  private void specify(String field) throws IOException {
    Path specs = Files.createDirectories(directory.resolve("specs"));
    Files.writeString(
        specs.resolve("Thing.json"),
        """
        // a comment
        {"type": "data", "name": "Thing", "validVersions": "0-1", "flexibleVersions": "1+",
         "fields": [{"name": "Size", %s}]}
        """
            .formatted(field));
  }

  private void generate() throws IOException {
    Main.main(
        new String[] {
          "specs=" + directory.resolve("specs"),
          "out=" + directory.resolve("out"),
          "package=a.b",
          "names=Thing"
        });
  }
}
