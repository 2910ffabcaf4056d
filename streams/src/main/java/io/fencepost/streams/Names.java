package io.fencepost.streams;

/** What may be a part of a topic or directory name. */
final class Names {
  private Names() {}

  static String checked(String what, String name) {
    if (!name.matches("[A-Za-z0-9._-]{1,180}") || name.equals(".") || name.equals("..")) {
      throw new IllegalArgumentException(
          what
              + " name \""
              + name
              + "\" must be 1 to 180 of A-Z a-z 0-9 . _ - (it becomes part of topic and directory"
              + " names)");
    }
    return name;
  }
}
