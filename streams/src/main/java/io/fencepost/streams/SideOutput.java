package io.fencepost.streams;

/**
 * A further output of a {@link Processor}, with types of its own. A constant of the user's class;
 * two are the same if they are the same object.
 */
@SuppressWarnings("UnusedTypeParameter") // they type the flow that side() returns
public final class SideOutput<K, V> implements ProcessorPart {
  private final String name;

  private SideOutput(String name) {
    this.name = Names.checked("output", name);
  }

  /** An output; the name shows in {@link Job#describe}. */
  public static <K, V> SideOutput<K, V> named(String name) {
    return new SideOutput<>(name);
  }

  public String name() {
    return name;
  }
}
