package io.fencepost.wiregen;

import java.util.Comparator;
import java.util.List;

/** Writes the {@code write} method of a struct. */
final class WriteEmitter {
  private final MessageSpec message;
  private final StructSpec struct;
  private final Source out;

  WriteEmitter(MessageSpec message, StructSpec struct, Source out) {
    this.message = message;
    this.struct = struct;
    this.out = out;
  }

  void emit(boolean isRoot) {
    if (isRoot) {
      out.line("@Override");
    }
    out.line("public void write(WireWriter out, int version) {");
    if (isRoot) {
      ReadEmitter.checkVersion(out, struct.name());
    }
    ReadEmitter.declareFlexible(out, message, struct);
    for (FieldSpec field : struct.fields()) {
      writePlain(field);
    }
    String flexible = message.flexible().condition(struct.versions());
    if (!flexible.equals("false")) {
      boolean opened = out.open(flexible.equals("true") ? "true" : "flexible");
      writeTags();
      out.close(opened);
    }
    out.line("}");
  }

  private void writePlain(FieldSpec field) {
    String plain = field.plain().condition(struct.versions());
    if (!plain.equals("false")) {
      boolean opened = out.open(plain);
      writeValue(field, field.plain().intersect(struct.versions()), false);
      out.close(opened);
    }
    String present = field.versions().condition(struct.versions());
    if (!field.ignorable() && !present.equals("true")) {
      String differs = field.differs();
      String absent = present.equals("false") ? "" : "!(" + present + ") && ";
      out.line("if (" + absent + (absent.isEmpty() ? differs : "(" + differs + ")") + ") {");
      out.line("throw WireException.absent(" + field.label() + ", version);");
      out.line("}");
    }
  }

  private void writeTags() {
    List<FieldSpec> tagged =
        struct.fields().stream()
            .filter(field -> !field.tagged().isEmpty())
            .sorted(Comparator.comparingInt(FieldSpec::tag))
            .toList();
    if (tagged.isEmpty()) {
      out.line("out.writeNoTags();");
      return;
    }
    out.line("int tags = 0;");
    for (FieldSpec field : tagged) {
      out.line("if (" + isWritten(field) + ") {");
      out.line("tags++;");
      out.line("}");
    }
    out.line("out.writeTagCount(tags);");
    for (FieldSpec field : tagged) {
      out.line("if (" + isWritten(field) + ") {");
      out.line("int mark = out.enterTag(" + field.tag() + ");");
      writeValue(field, field.tagged(), true);
      out.line("out.leaveTag(mark);");
      out.line("}");
    }
  }

  private String isWritten(FieldSpec field) {
    Versions possible = struct.versions().intersect(message.flexible());
    String condition = field.tagged().condition(possible);
    String differs = field.differs();
    return condition.equals("true") ? differs : condition + " && (" + differs + ")";
  }

  private void writeValue(FieldSpec field, Versions here, boolean tagged) {
    String nullable = field.nullable().condition(here);
    if (field.type().array()) {
      writeArray(field, nullable);
    } else if (field.type().isStruct()) {
      writeStruct(field, nullable, tagged);
    } else {
      writeScalar(field, nullable);
    }
  }

  private void writeStruct(FieldSpec field, String nullable, boolean tagged) {
    String value = field.value();
    if (nullable.equals("false")) {
      if (field.isNullable()) {
        refuseNull(field, "true");
      }
      out.line(value + ".write(out, version);");
      return;
    }
    refuseNull(field, nullable.equals("true") ? "false" : "!(" + nullable + ")");
    boolean opened = out.open(nullable);
    out.line("out.writeAbsent" + (tagged ? "Tagged(" : "(") + value + " == null);");
    out.close(opened);
    out.line("if (" + value + " != null) {");
    out.line(value + ".write(out, version);");
    out.line("}");
  }

  private void refuseNull(FieldSpec field, String condition) {
    if (condition.equals("false")) {
      return;
    }
    String also = condition.equals("true") ? "" : " && " + condition;
    out.line("if (" + field.value() + " == null" + also + ") {");
    out.line("throw WireException.nullValue(" + field.label() + ", version);");
    out.line("}");
  }

  private void writeArray(FieldSpec field, String nullable) {
    String value = field.value();
    String flexible = ReadEmitter.flexible(message, struct, field);
    if (field.isNullable()) {
      String refused =
          switch (nullable) {
            case "true" -> "false";
            case "false" -> "true";
            default -> "!(" + nullable + ")";
          };
      refuseNull(field, refused);
      out.line("if (" + value + " == null) {");
      out.line("out.writeNullArray(" + flexible + ");");
      out.line("} else {");
    }
    out.line("out.writeArrayLength(" + value + ".size(), " + flexible + ");");
    out.line("for (" + elementType(field) + " element : " + value + ") {");
    out.line(element(field, flexible));
    out.line("}");
    if (field.isNullable()) {
      out.line("}");
    }
  }

  private static String elementType(FieldSpec field) {
    return field.type().elementType();
  }

  private static String element(FieldSpec field, String flexible) {
    FieldType.Kind kind = field.type().kind();
    if (kind == FieldType.Kind.STRUCT) {
      return "element.write(out, version);";
    }
    return kind.hasLength()
        ? "out.write" + kind.method + "(element, " + flexible + ", " + field.label() + ");"
        : "out.write" + kind.method + "(element);";
  }

  private void writeScalar(FieldSpec field, String nullable) {
    FieldType.Kind kind = field.type().kind();
    if (!kind.hasLength()) {
      out.line("out.write" + kind.method + "(" + field.value() + ");");
      return;
    }
    String flexible = ReadEmitter.flexible(message, struct, field);
    String optional =
        "out.writeNullable" + kind.method + "(" + field.value() + ", " + flexible + ");";
    String required =
        "out.write" + kind.method + "(" + field.value() + ", " + flexible + ", " + field.label();
    required += ");";
    switch (nullable) {
      case "true" -> out.line(optional);
      case "false" -> out.line(required);
      default -> {
        out.line("if (" + nullable + ") {");
        out.line(optional);
        out.line("} else {");
        out.line(required);
        out.line("}");
      }
    }
  }
}
