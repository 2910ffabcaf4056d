package io.fencepost.streams;

/** What a {@link Processor} works with; valid as long as the processor. */
public interface ProcessorContext<K, V> extends Emitter<K, V> {
  /** Passes a message to a side output that was named in {@link Flow#process}. */
  <K2, V2> void emit(SideOutput<K2, V2> output, Message<K2, V2> message);

  /** A store that was named in {@link Flow#process}. */
  <SK, SV> Store<SK, SV> store(StoreSpec<SK, SV> spec);

  /**
   * Timers of the key at hand.
   *
   * @throws IllegalStateException if the processor is not a {@link TimedProcessor}
   */
  Timers timers();

  /**
   * The highest timestamp of a message that this operator has seen in this task, the one at hand
   * included, what became a dead letter or was aborted not; {@link Long#MIN_VALUE} before the
   * first. Kept over restarts by a {@link TimedProcessor} only.
   */
  long eventTimeMs();

  /**
   * Another number after each time that writes to stores were taken back: what a field holds of
   * them is stale then, and must be read again.
   */
  long history();

  /** Counts the input at hand as left out on purpose, in {@link JobCounts#dropped}. */
  void countDropped();

  /**
   * A message without headers that is made of none: its origin is the input at hand or, in {@link
   * TimedProcessor#onTimer}, this operator and the timer's time.
   */
  <K2, V2> Message<K2, V2> message(K2 key, V2 value, long timestampMs);

  /**
   * Names an outside effect of the input or timer at hand; each call gives the next one. See {@link
   * Flow#effect}, which should have the effect: code here may run for input that then fails.
   */
  EffectKey effectKey();
}
