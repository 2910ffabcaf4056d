package io.fencepost.wiregen;

/** The type of a field: a kind, possibly an array of it; the struct's name where it is one. */
record FieldType(Kind kind, boolean array, String structName) {

  /** The element kinds of the specifications, with their Java type and smallest encoding. */
  enum Kind {
    BOOL("boolean", "Boolean", "Bool", 1),
    INT8("byte", "Byte", "Int8", 1),
    INT16("short", "Short", "Int16", 2),
    UINT16("int", "Integer", "Uint16", 2),
    INT32("int", "Integer", "Int32", 4),
    UINT32("long", "Long", "Uint32", 4),
    INT64("long", "Long", "Int64", 8),
    FLOAT64("double", "Double", "Float64", 8),
    UUID("Uuid", "Uuid", "Uuid", 16),
    STRING("String", "String", "String", 1),
    BYTES("byte[]", "byte[]", "Bytes", 1),
    RECORDS("Bytes", "Bytes", "Records", 1),
    STRUCT("", "", "", 1);

    final String javaType;
    final String boxedType;
    final String method;
    final int smallestBytes;

    Kind(String javaType, String boxedType, String method, int smallestBytes) {
      this.javaType = javaType;
      this.boxedType = boxedType;
      this.method = method;
      this.smallestBytes = smallestBytes;
    }

    /** Whether values have a length in front, which is what differs in flexible versions. */
    boolean hasLength() {
      return this == STRING || this == BYTES || this == RECORDS;
    }
  }

  static FieldType parse(String text) {
    boolean array = text.startsWith("[]");
    String element = array ? text.substring(2) : text;
    if (Character.isUpperCase(element.charAt(0))) {
      return new FieldType(Kind.STRUCT, array, element);
    }
    for (Kind kind : Kind.values()) {
      if (kind != Kind.STRUCT && kind.name().equalsIgnoreCase(element)) {
        return new FieldType(kind, array, "");
      }
    }
    throw new IllegalArgumentException(
        "The type " + text + " is unknown: teach FieldType about it");
  }

  String elementType() {
    return kind == Kind.STRUCT ? structName : kind.boxedType;
  }

  String javaType() {
    if (array) {
      return "List<" + elementType() + ">";
    }
    return kind == Kind.STRUCT ? structName : kind.javaType;
  }

  boolean isStruct() {
    return kind == Kind.STRUCT && !array;
  }
}
