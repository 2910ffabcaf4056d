package io.fencepost.testkit.fault;

import io.fencepost.broker.config.NearestKey;
import io.fencepost.broker.wire.ApiKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The catalogue: every request of the protocol by its name, and every arrow of a transactional
 * batch's path through broker and job, before and after.
 */
public final class FaultPoints {
  private static final Map<String, FaultPoint> BY_NAME = new TreeMap<>();
  private static final EnumMap<ApiKey, FaultPoint> BY_API = new EnumMap<>(ApiKey.class);

  /** A broker is about to append a batch, marker or coordinator record to a log. */
  public static final FaultPoint BEFORE_APPEND = broker("before-append", "a log takes a batch");

  /** It has, and nobody has been told. */
  public static final FaultPoint AFTER_APPEND =
      broker("after-append", "a log has taken a batch, and nobody has been told");

  /** A broker is about to force a log to its disk. */
  public static final FaultPoint BEFORE_FORCE =
      broker("before-force", "a log is forced to the disk");

  /** It has. */
  public static final FaultPoint AFTER_FORCE =
      broker("after-force", "a log is on the disk, and nobody has been told");

  /** A partition is about to append a transaction's marker. */
  public static final FaultPoint BEFORE_MARKER =
      broker("before-marker", "a partition takes the marker that ends a transaction");

  /** It has. */
  public static final FaultPoint AFTER_MARKER =
      broker("after-marker", "the marker is written, and the coordinator does not know");

  /** A coordinator is about to write what its log says to its tables. */
  public static final FaultPoint BEFORE_TABLE_WRITE =
      broker("before-table-write", "a coordinator applies its log to RocksDB");

  /** It has. */
  public static final FaultPoint AFTER_TABLE_WRITE =
      broker("after-table-write", "the tables hold it, and nobody has been told");

  /** A worker is about to poll its input. */
  public static final FaultPoint BEFORE_POLL = job("before-poll", "a worker polls its input");

  /** It has records, and none is processed. */
  public static final FaultPoint AFTER_POLL =
      job("after-poll", "a worker has input, and none is processed");

  /** A worker is about to send an output or changelog record. */
  public static final FaultPoint BEFORE_SEND =
      job("before-send", "a worker sends an output or changelog record");

  /** It is handed to the producer. */
  public static final FaultPoint AFTER_SEND =
      job("after-send", "the record is handed to the producer, not yet acknowledged");

  /** A worker is about to stage its input offsets in the transaction. */
  public static final FaultPoint BEFORE_STAGE =
      job("before-stage", "a worker stages input offsets in its transaction");

  /** It has. */
  public static final FaultPoint AFTER_STAGE =
      job("after-stage", "the offsets are staged, the transaction is open");

  /** A worker is about to end its transaction. */
  public static final FaultPoint BEFORE_END = job("before-end", "a worker ends its transaction");

  /** It is ended, and the state not applied. */
  public static final FaultPoint AFTER_END =
      job("after-end", "the transaction has ended, the worker's state is not applied");

  /** A worker is about to apply a committed transaction to its stores. */
  public static final FaultPoint BEFORE_APPLY =
      job("before-apply", "a worker applies a committed transaction to its stores");

  /** It has. */
  public static final FaultPoint AFTER_APPLY =
      job("after-apply", "the stores hold the transaction, the next cycle has not begun");

  static {
    for (ApiKey api : ApiKey.values()) {
      BY_API.put(
          api, put(new FaultPoint(api.apiName(), FaultPoint.Place.WIRE, WireSentences.of(api))));
    }
  }

  private FaultPoints() {}

  /** Every point: requests by name, then the steps. */
  public static List<FaultPoint> all() {
    List<FaultPoint> points = new ArrayList<>(BY_NAME.values());
    Collections.sort(points);
    return points;
  }

  /** Requests of that kind. */
  public static FaultPoint of(ApiKey api) {
    FaultPoint point = BY_API.get(api);
    if (point == null) {
      throw new IllegalStateException("no point for " + api);
    }
    return point;
  }

  /**
   * The point of that name.
   *
   * @throws IllegalArgumentException if there is none; it says which is nearest
   */
  public static FaultPoint of(String name) {
    FaultPoint point = BY_NAME.get(name);
    if (point == null) {
      throw new IllegalArgumentException(
          "there is no point '" + name + "'" + nearest(name, BY_NAME.keySet()));
    }
    return point;
  }

  /** The nearest by its letters, whether they are capitals or not. */
  static String nearest(String name, Collection<String> names) {
    for (String known : names) {
      if (known.equalsIgnoreCase(name)) {
        return "; did you mean " + known + "?";
      }
    }
    return NearestKey.hint(name, names);
  }

  private static FaultPoint broker(String name, String description) {
    return put(new FaultPoint(name, FaultPoint.Place.BROKER, description));
  }

  private static FaultPoint job(String name, String description) {
    return put(new FaultPoint(name, FaultPoint.Place.JOB, description));
  }

  private static FaultPoint put(FaultPoint point) {
    BY_NAME.put(point.name(), point);
    return point;
  }
}
