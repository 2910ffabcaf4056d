package io.fencepost.txn.group;

import io.fencepost.broker.wire.WireError;
import java.util.ArrayList;
import java.util.List;

/**
 * What a group wants done after a step: records to make durable, answers to send. The caller runs
 * the answers when it holds no lock.
 */
public final class GroupEffects {
  private final List<Runnable> answers = new ArrayList<>();
  private final List<Write> writes = new ArrayList<>();

  /** Told when the record is durable and applied, or why it is not; a step of the group again. */
  @FunctionalInterface
  public interface Durable {
    void on(WireError error, Moment now, GroupEffects out);
  }

  /** A record, and whom to tell. */
  public record Write(GroupRecord record, Durable done) {}

  /** Runs when the step's records are durable, at once if there are none. */
  public void answer(Runnable answer) {
    answers.add(answer);
  }

  void write(GroupRecord record, Durable done) {
    writes.add(new Write(record, done));
  }

  /** In order; to be appended in this order. */
  public List<Write> writes() {
    return writes;
  }

  /** In order. */
  public List<Runnable> answers() {
    return answers;
  }
}
