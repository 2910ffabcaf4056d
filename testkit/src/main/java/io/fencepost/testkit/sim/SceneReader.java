package io.fencepost.testkit.sim;

import io.fencepost.broker.batch.BatchView;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.FetchResponse;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.History;

/** Reads one partition of a scene when told to, from where it is. Not thread-safe. */
final class SceneReader {
  private static final int FETCH_VERSION = 11;

  private final Scene scene;
  private final String name;
  private final TopicPartition partition;
  private final Isolation isolation;
  private final SceneCall calls;
  private final History history;
  private long position;

  SceneReader(
      Scene scene, String name, Isolation isolation, TopicPartition partition, long position) {
    this.scene = scene;
    this.name = name;
    this.isolation = isolation;
    this.partition = partition;
    this.position = position;
    this.calls = new SceneCall(scene, name);
    this.history = scene.history();
    history.add(new Event.Started(name, isolation, partition, position));
  }

  long position() {
    return position;
  }

  /** To the end of what it may see. */
  void read() {
    boolean isMore = true;
    for (int fetches = 0; isMore && fetches < Scene.tries(); fetches++) {
      SceneCall.Done done =
          calls.ask(
              ApiKey.FETCH,
              FETCH_VERSION,
              Requests.fetch(partition, position, isolation),
              response -> {
                FetchResponse it = (FetchResponse) response;
                return it.errorCode != 0
                    ? WireError.of(it.errorCode)
                    : WireError.of(it.responses.get(0).partitions.get(0).errorCode);
              });
      if (!done.isOk() || !(done.response() instanceof FetchResponse it)) {
        scene.trouble(name + " cannot read " + partition + ": " + done.why());
        return;
      }
      isMore = take(it.responses.get(0).partitions.get(0));
    }
  }

  private boolean take(FetchResponse.PartitionData data) {
    history.add(new Event.Watermarks(name, partition, data.lastStableOffset, data.highWatermark));
    AbortedFilter filter = new AbortedFilter(data.abortedTransactions);
    long before = position;
    FetchedBatches.walk(
        data,
        position,
        batch -> {
          take(batch, filter);
          position = batch.nextOffset();
        });
    if (position != before) {
      history.add(new Event.Passed(name, isolation, partition, position));
    }
    return position != before;
  }

  private void take(BatchView batch, AbortedFilter filter) {
    if (batch.isControl()) {
      filter.onMarker(batch);
      return;
    }
    if (isolation == Isolation.READ_COMMITTED && filter.isAborted(batch)) {
      return;
    }
    FetchedBatches.records(
        batch,
        position,
        (offset, value) -> history.add(new Event.Read(name, isolation, partition, offset, value)));
  }
}
