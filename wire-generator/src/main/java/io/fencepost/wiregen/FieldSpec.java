package io.fencepost.wiregen;

/**
 * One field of a struct, as specified; its version ranges are cut to those of the struct.
 *
 * @param tag the tag number, or -1
 * @param defaultText the default as the specification writes it; empty for the type's own
 */
record FieldSpec(
    String structName,
    String name,
    FieldType type,
    Versions versions,
    Versions tagged,
    Versions nullable,
    Versions flexible,
    int tag,
    boolean ignorable,
    String defaultText) {

  boolean isNullable() {
    return !nullable.isEmpty() || defaultsToNull();
  }

  boolean defaultsToNull() {
    return type.kind() == FieldType.Kind.RECORDS || defaultText.equals("null");
  }

  /** The versions in which the field stands in its place, without a tag. */
  Versions plain() {
    return tagged.isEmpty() ? versions : versions.below(tagged);
  }

  /** A Java string literal that names the field in messages. */
  String label() {
    return "\"" + structName + "." + name + "\"";
  }

  /** The field from inside its class, where a local variable may have the same name. */
  String value() {
    return "this." + name;
  }

  String initialValue() {
    if (defaultsToNull()) {
      return "";
    }
    if (type.array()) {
      return "new ArrayList<>()";
    }
    return switch (type.kind()) {
      case STRUCT -> "new " + type.structName() + "()";
      case UUID -> "Uuid.ZERO";
      case BYTES -> "WireMessage.NO_BYTES";
      case STRING -> "\"" + defaultText + "\"";
      default -> isZero() ? "" : literal();
    };
  }

  /** The Java condition under which the field differs from its default. */
  String differs() {
    String value = value();
    if (defaultsToNull()) {
      return value + " != null";
    }
    String orNull = isNullable() ? value + " == null || " : "";
    if (type.array()) {
      return orNull + "!" + value + ".isEmpty()";
    }
    return switch (type.kind()) {
      case STRUCT -> orNull + "!" + value + ".isDefault()";
      case UUID -> "!" + value + ".equals(Uuid.ZERO)";
      case BYTES -> orNull + value + ".length != 0";
      case STRING -> "!\"" + defaultText + "\".equals(" + value + ")";
      case BOOL -> defaultText.equals("true") ? "!" + value : value;
      default -> value + " != " + literal();
    };
  }

  private boolean isZero() {
    return literal().equals("0") || literal().equals("false");
  }

  private String literal() {
    String text = defaultText.isEmpty() ? "0" : defaultText;
    return switch (type.kind()) {
      case BOOL -> defaultText.isEmpty() ? "false" : defaultText;
      case INT64, UINT32 -> text.equals("0") ? text : text + "L";
      case INT8, INT16 -> text.startsWith("0x") ? "(" + type.javaType() + ") " + text : text;
      default -> text;
    };
  }
}
