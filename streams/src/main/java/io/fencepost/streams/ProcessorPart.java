package io.fencepost.streams;

/** What {@link Flow#process} gives a processor: a store or a side output. */
public sealed interface ProcessorPart permits StoreSpec, SideOutput {}
