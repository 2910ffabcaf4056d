package io.fencepost.samples.cli.dump;

import java.util.Map;

/** Where what was read is shown. */
public interface Sink {
  /** From here on items stand in this file. */
  void file(String path);

  /** Something with named fields; a record has its state among them. */
  void item(String kind, Map<String, Object> fields);

  /** Bytes that are not what they should be; what follows them is shown all the same. */
  void damage(String path, long position, String sentence);
}
