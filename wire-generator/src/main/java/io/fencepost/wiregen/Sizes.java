package io.fencepost.wiregen;

/** The fewest bytes that a value takes in any version: a bound on how many can be in a buffer. */
final class Sizes {
  private Sizes() {}

  static int smallestElement(MessageSpec message, FieldSpec array) {
    if (array.type().kind() != FieldType.Kind.STRUCT) {
      return array.type().kind().smallestBytes;
    }
    return smallestStruct(message, array.type().structName());
  }

  private static int smallestStruct(MessageSpec message, String name) {
    int bytes = 0;
    for (StructSpec struct : message.structs()) {
      if (struct.name().equals(name)) {
        for (FieldSpec field : struct.fields()) {
          if (field.plain().covers(struct.versions())) {
            bytes += smallestField(message, field);
          }
        }
      }
    }
    return Math.max(1, bytes);
  }

  private static int smallestField(MessageSpec message, FieldSpec field) {
    boolean oneStruct = field.type().isStruct() && !field.isNullable();
    if (oneStruct) {
      return smallestStruct(message, field.type().structName());
    }
    return field.type().array() ? 1 : field.type().kind().smallestBytes;
  }
}
