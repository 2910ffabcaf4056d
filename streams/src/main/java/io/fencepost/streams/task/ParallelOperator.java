package io.fencepost.streams.task;

import io.fencepost.streams.Message;
import io.fencepost.streams.PlanNode;
import java.util.Arrays;
import java.util.function.Function;

/**
 * Blocking code of the user. While its input is looked at ahead, the call is started; when the turn
 * of that input comes, its result goes on.
 */
final class ParallelOperator extends Operator {
  private final Function<Object, Object> mapper;
  private final int parallelism;
  private final TaskContext context;
  private final Lanes lanes;
  private final Fan out;

  @SuppressWarnings("unchecked") // Flow checked the types of the chain
  ParallelOperator(PlanNode.Parallel node, TaskContext context, Lanes lanes, Fan out) {
    this.mapper = (Function<Object, Object>) node.mapper();
    this.parallelism = node.parallelism();
    this.context = context;
    this.lanes = lanes;
    this.out = out;
  }

  @Override
  void accept(Message<Object, Object> message) {
    int lane = Math.floorMod(Arrays.hashCode(context.inputKey()), parallelism);
    Lanes.Call call = lanes.start(lane, () -> mapper.apply(message.value()));
    context.putOff(() -> finish(message, call));
  }

  private void finish(Message<Object, Object> message, Lanes.Call call) {
    Object value;
    try {
      value = call.await();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new StageFailed(e);
    }
    out.emit(message.withValue(value));
  }

  /** What follows an operator that looks ahead and does not look ahead itself: waits its turn. */
  static final class Later extends Operator {
    private final Operator operator;
    private final TaskContext context;

    Later(Operator operator, TaskContext context) {
      this.operator = operator;
      this.context = context;
    }

    @Override
    void accept(Message<Object, Object> message) {
      context.putOff(() -> operator.accept(message));
    }
  }
}
