package io.fencepost.wiregen;

import java.util.List;

/** A named group of fields; its fields' version ranges lie within its own. */
record StructSpec(String name, Versions versions, List<FieldSpec> fields) {}
