package io.fencepost.streams.operators;

import io.fencepost.streams.Message;
import io.fencepost.streams.StatefulStage;
import io.fencepost.streams.StoreSpec;

/** A function with one store as a processor. */
public final class StagedProcessor<K, V, K2, V2, SK, SV> extends Operating<K, V, K2, V2> {
  private final StoreSpec<SK, SV> store;
  private final StatefulStage<K, V, K2, V2, SK, SV> stage;

  public StagedProcessor(StoreSpec<SK, SV> store, StatefulStage<K, V, K2, V2, SK, SV> stage) {
    this.store = store;
    this.stage = stage;
  }

  @Override
  public void process(Message<K, V> input) throws Exception {
    stage.apply(input, context().store(store), context());
  }
}
