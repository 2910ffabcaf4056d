package io.fencepost.wiregen;

import java.util.List;

/** Writes the {@code read} method of a struct. */
final class ReadEmitter {
  private final MessageSpec message;
  private final StructSpec struct;
  private final Source out;

  ReadEmitter(MessageSpec message, StructSpec struct, Source out) {
    this.message = message;
    this.struct = struct;
    this.out = out;
  }

  void emit(boolean isRoot) {
    String name = struct.name();
    out.line("public static " + name + " read(WireReader in, int version) {");
    if (isRoot) {
      checkVersion(out, name);
    }
    declareFlexible(out, message, struct);
    out.line(name + " it = new " + name + "();");
    for (FieldSpec field : struct.fields()) {
      String condition = field.plain().condition(struct.versions());
      if (!condition.equals("false")) {
        boolean opened = out.open(condition);
        readValue(field, field.plain().intersect(struct.versions()), false);
        out.close(opened);
      }
    }
    String flexible = message.flexible().condition(struct.versions());
    if (!flexible.equals("false")) {
      boolean opened = out.open(flexible.equals("true") ? "true" : "flexible");
      readTags();
      out.close(opened);
    }
    out.line("return it;");
    out.line("}");
  }

  static void checkVersion(Source out, String name) {
    out.line("if (version < LOWEST_VERSION || version > HIGHEST_VERSION) {");
    out.line("throw WireException.unsupported(\"" + name + "\", version);");
    out.line("}");
  }

  /** A local for the question asked most; none where the answer is the same in all versions. */
  static void declareFlexible(Source out, MessageSpec message, StructSpec struct) {
    String condition = message.flexible().condition(struct.versions());
    if (condition.startsWith("version")) {
      out.line("boolean flexible = " + condition + ";");
    }
  }

  /** The Java expression for whether the field's lengths are compact. */
  static String flexible(MessageSpec message, StructSpec struct, FieldSpec field) {
    String general = message.flexible().condition(struct.versions());
    if (!field.flexible().equals(message.flexible())) {
      return field.flexible().condition(struct.versions());
    }
    return general.startsWith("version") ? "flexible" : general;
  }

  private void readTags() {
    List<FieldSpec> tagged =
        struct.fields().stream().filter(field -> !field.tagged().isEmpty()).toList();
    if (tagged.isEmpty()) {
      out.line("in.skipTags();");
      return;
    }
    out.line("for (int tags = in.readTagCount(); tags > 0; tags--) {");
    out.line("int tag = in.readTag();");
    out.line("int outerLimit = in.enterTag(tag, \"" + struct.name() + "\");");
    String chain = "";
    for (FieldSpec field : tagged) {
      String condition = field.tagged().condition(struct.versions().intersect(message.flexible()));
      String also = condition.equals("true") ? "" : " && " + condition;
      out.line(chain + "if (tag == " + field.tag() + also + ") {");
      readValue(field, field.tagged(), true);
      chain = "} else ";
    }
    out.line("} else {");
    out.line("in.skipRest();");
    out.line("}");
    out.line("in.leaveTag(outerLimit, tag, \"" + struct.name() + "\");");
    out.line("}");
  }

  private void readValue(FieldSpec field, Versions here, boolean tagged) {
    String nullable = field.nullable().condition(here);
    if (field.type().array()) {
      readArray(field, nullable);
    } else if (field.type().isStruct()) {
      readStruct(field, nullable, tagged);
    } else {
      out.line("it." + field.name() + " = " + scalar(field, nullable) + ";");
    }
  }

  /** Behind a tag, a struct that may be null has another marker than elsewhere. */
  private void readStruct(FieldSpec field, String nullable, boolean tagged) {
    String read = field.type().structName() + ".read(in, version)";
    if (nullable.equals("false")) {
      out.line("it." + field.name() + " = " + read + ";");
      return;
    }
    String absent = "in.readAbsent" + (tagged ? "Tagged(" : "(") + field.label() + ")";
    String condition = nullable.equals("true") ? absent : "(" + nullable + ") && " + absent;
    out.line("it." + field.name() + " = " + condition + " ? null : " + read + ";");
  }

  private void readArray(FieldSpec field, String nullable) {
    String arguments =
        "("
            + flexible(message, struct, field)
            + ", "
            + Sizes.smallestElement(message, field)
            + ", "
            + field.label()
            + ")";
    String required = "in.readArrayLength" + arguments;
    String optional = "in.readNullableArrayLength" + arguments;
    String count = "count" + Character.toUpperCase(field.name().charAt(0));
    count += field.name().substring(1);
    out.line("int " + count + " = " + choose(nullable, optional, required) + ";");
    String list = "list" + count.substring("count".length());
    String element = field.type().elementType();
    if (!nullable.equals("false")) {
      out.line("if (" + count + " < 0) {");
      out.line("it." + field.name() + " = null;");
      out.line("} else {");
    }
    out.line("List<" + element + "> " + list + " = WireReader.newList(" + count + ");");
    out.line("for (int i = 0; i < " + count + "; i++) {");
    out.line(list + ".add(" + element(field) + ");");
    out.line("}");
    out.line("it." + field.name() + " = " + list + ";");
    if (!nullable.equals("false")) {
      out.line("}");
    }
  }

  private String element(FieldSpec field) {
    return field.type().kind() == FieldType.Kind.STRUCT
        ? field.type().structName() + ".read(in, version)"
        : scalar(field, "false");
  }

  private String scalar(FieldSpec field, String nullable) {
    FieldType.Kind kind = field.type().kind();
    if (!kind.hasLength()) {
      return "in.read" + kind.method + "(" + field.label() + ")";
    }
    String arguments = "(" + flexible(message, struct, field) + ", " + field.label() + ")";
    return choose(
        nullable, "in.readNullable" + kind.method + arguments, "in.read" + kind.method + arguments);
  }

  private static String choose(String condition, String yes, String no) {
    return switch (condition) {
      case "true" -> yes;
      case "false" -> no;
      default -> condition + " ? " + yes + " : " + no;
    };
  }
}
