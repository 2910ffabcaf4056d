package io.fencepost.streams.operators;

import io.fencepost.streams.JoinWindow;
import io.fencepost.streams.Message;
import io.fencepost.streams.ProcessorContext;
import io.fencepost.streams.StoreSpec;
import io.fencepost.streams.TimedProcessor;
import io.fencepost.streams.Timer;
import io.fencepost.streams.operators.Sided.Side;
import org.apache.kafka.common.serialization.Serde;
import org.jspecify.annotations.Nullable;

/**
 * Joins two flows within a {@link JoinWindow}. Each message is joined with those of the other flow
 * that wait, then waits itself until a timer of event time takes it away; where its side counts
 * alone, another timer, cancelled by the first match, puts it out alone just before.
 *
 * <p>Keys are equal if their bytes are: those of the input, of which its serde may make others. The
 * key of what is put out alone is read by the serde of its side.
 *
 * <p>Whether a message still waits is a matter of event time, not of whether its timer has fired:
 * so no message is both joined and put out alone.
 */
public final class StreamJoin<K, V, V2, R> extends Operating<K, Sided, K, R>
    implements TimedProcessor<K, Sided, K, R> {
  /** What is joined and how. */
  public record Terms<K, V, V2, R>(
      StoreSpec<byte[], byte[]> store,
      Serde<K> leftKeySerde,
      Serde<K> rightKeySerde,
      Serde<V> leftSerde,
      Serde<V2> rightSerde,
      JoinWindow window,
      JoinRule<V, V2, R> rule) {}

  private final Terms<K, V, V2, R> terms;
  private final JoinWindow window;
  private @Nullable JoinBuffer opened;
  private InputKey keys = () -> null;

  public StreamJoin(Terms<K, V, V2, R> terms) {
    this.terms = terms;
    this.window = terms.window();
  }

  @Override
  public void open(ProcessorContext<K, R> context) {
    super.open(context);
    opened = new JoinBuffer(context.store(terms.store()));
    keys = (InputKey) context;
  }

  private JoinBuffer buffer() {
    if (opened == null) {
      throw new IllegalStateException("not open");
    }
    return opened;
  }

  @Override
  public void process(Message<K, Sided> input) {
    Side side = input.value().side();
    long closesMs = closesMs(side, input.timestampMs());
    if (closesMs < context().eventTimeMs()) {
      emitLate(input);
      return;
    }
    byte[] key = keyBytes();
    Waiting message = new Waiting(side, input.timestampMs(), buffer().nextNumber());
    boolean isMatched = match(input, key);
    buffer().put(message, key, valueBytes(input.value()));
    if (keepsAlone(side) && !isMatched) {
      context().timers().atEventTime(message.alone(), plus(closesMs, 1));
    }
    context().timers().atEventTime(message.gone(), plus(closesMs, 1));
  }

  /** Joins it with all that wait for it; false if there are none. */
  private boolean match(Message<K, Sided> input, byte[] key) {
    Side side = input.value().side();
    Side other = side.other();
    long timeMs = input.timestampMs();
    // What is older than that waits no more.
    long oldestMs = plus(context().eventTimeMs(), -patienceMs(other));
    long fromMs = Math.max(plus(timeMs, -reachMs(other)), oldestMs);
    boolean[] isMatched = {false};
    buffer()
        .forEach(
            other,
            key,
            fromMs,
            plus(timeMs, reachMs(side)),
            (partner, found) -> {
              isMatched[0] = true;
              Object value = value(other, found);
              Sided left = side == Side.LEFT ? input.value() : new Sided(other, value);
              Sided right = side == Side.LEFT ? new Sided(other, value) : input.value();
              context()
                  .emit(
                      input
                          .withValue(joined(left.value(), right.value()))
                          .withTimestampMs(Math.max(timeMs, partner.timestampMs())));
              if (keepsAlone(other)) {
                context().timers().cancel(Timer.Kind.EVENT_TIME, partner.alone());
              }
            });
    return isMatched[0];
  }

  @Override
  public void onTimer(Timer<K> timer) {
    Waiting message = Waiting.ofTimer(timer.name());
    byte[] key = keyBytes();
    if (!Waiting.isAlone(timer.name())) {
      buffer().delete(message, key);
      return;
    }
    JoinBuffer.Found found = buffer().find(message, key);
    if (found != null) {
      Object value = value(message.side(), found);
      boolean isLeft = message.side() == Side.LEFT;
      R result = isLeft ? joined(value, null) : joined(null, value);
      context().emit(context().message(key(message.side(), key), result, message.timestampMs()));
    }
  }

  // ---- times

  /** How much newer than such a message its partners may be. */
  private long reachMs(Side side) {
    return side == Side.LEFT ? window.afterMs() : window.beforeMs();
  }

  private long patienceMs(Side side) {
    return plus(reachMs(side), window.graceMs());
  }

  /** The last event time at which such a message waits. */
  private long closesMs(Side side, long timeMs) {
    return plus(timeMs, patienceMs(side));
  }

  /** The sum, or the end of time. */
  private static long plus(long timeMs, long differenceMs) {
    long sum = timeMs + differenceMs;
    boolean isOver = ((timeMs ^ sum) & (differenceMs ^ sum)) < 0;
    return isOver ? (differenceMs < 0 ? Long.MIN_VALUE : Long.MAX_VALUE) : sum;
  }

  // ---- values

  private boolean keepsAlone(Side side) {
    return side == Side.LEFT ? terms.rule().keepsLeft() : terms.rule().keepsRight();
  }

  @SuppressWarnings("unchecked") // Flow put values of the left flow left, and of the right right
  private R joined(@Nullable Object left, @Nullable Object right) {
    return terms.rule().join((V) left, (V2) right);
  }

  private @Nullable Object value(Side side, JoinBuffer.Found found) {
    byte[] bytes = found.value();
    return bytes == null ? null : serde(side).deserializer().deserialize(name(), bytes);
  }

  @SuppressWarnings("unchecked") // as joined
  private byte @Nullable [] valueBytes(Sided sided) {
    Object value = sided.value();
    Serde<Object> serde = (Serde<Object>) serde(sided.side());
    return value == null ? null : serde.serializer().serialize(name(), value);
  }

  private Serde<?> serde(Side side) {
    return side == Side.LEFT ? terms.leftSerde() : terms.rightSerde();
  }

  private K key(Side side, byte[] bytes) {
    Serde<K> serde = side == Side.LEFT ? terms.leftKeySerde() : terms.rightKeySerde();
    return serde.deserializer().deserialize(name(), bytes);
  }

  private byte[] keyBytes() {
    byte[] bytes = keys.inputKey();
    if (bytes == null) {
      throw new IllegalArgumentException("no key, and " + name() + " joins by key");
    }
    return bytes;
  }

  private String name() {
    return terms.store().name();
  }

  private void emitLate(Message<K, Sided> input) {
    context().countDropped();
    Message<K, Object> late = input.withValue(input.value().value());
    boolean isLeft = input.value().side() == Side.LEFT;
    context().emit(isLeft ? JoinWindow.late() : JoinWindow.lateRight(), late);
  }
}
