package io.fencepost.txn.txn;

import static io.fencepost.txn.txn.TxnFixtures.A;
import static io.fencepost.txn.txn.TxnFixtures.B;
import static io.fencepost.txn.txn.TxnFixtures.ID;
import static io.fencepost.txn.txn.TxnFixtures.TIMEOUT;
import static io.fencepost.txn.txn.TxnFixtures.entry;
import static io.fencepost.txn.txn.TxnFixtures.set;
import static io.fencepost.txn.txn.TxnFixtures.who;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Every (state, event) pair once, as the table in the Javadoc of {@link TxnMachine} has it. */
class TxnMachineTableTest {
  private static final String[] STATES = {
    "none",
    "EMPTY",
    "ONGOING",
    "PREPARE_COMMIT",
    "PREPARE_ABORT",
    "COMPLETE_COMMIT",
    "COMPLETE_ABORT"
  };

  private static final String TABLE =
      """
      init            | EMPTY   | EMPTY   | PREPARE_ABORT+ | finish | finish | EMPTY   | EMPTY
      add             | mapping | ONGOING | ONGOING        | finish | finish | ONGOING | ONGOING
      add-known       | mapping | ONGOING | ok             | finish | finish | ONGOING | ONGOING
      commit-v4       | mapping | invalid | PREPARE_COMMIT | finish | finish | ok      | invalid
      abort-v4        | mapping | invalid | PREPARE_ABORT  | finish | finish | invalid | ok
      commit-v5       | mapping | invalid | PREPARE_COMMIT | finish | finish | invalid | invalid
      abort-v5        | mapping | PREPARE_ABORT | PREPARE_ABORT | finish | finish | PREPARE_ABORT | PREPARE_ABORT
      commit-v5-retry | mapping | fenced  | fenced         | finish | finish | ok      | invalid
      abort-v5-retry  | mapping | fenced  | fenced         | finish | finish | invalid | ok
      markers-done    | mapping | ok      | ok             | COMPLETE_COMMIT | COMPLETE_ABORT | ok | ok
      overdue         | mapping | ok      | PREPARE_ABORT  | finish | finish | ok      | ok
      not-overdue     | mapping | ok      | ok             | finish | finish | ok      | ok
      expire          | mapping | forget  | ok             | ok     | ok     | forget  | forget
      not-expired     | mapping | ok      | ok             | ok     | ok     | ok      | ok
      zombie-add      | mapping | fenced  | fenced         | finish | finish | fenced  | fenced
      zombie-end-v4   | mapping | fenced  | fenced         | finish | finish | fenced  | fenced
      stranger-add    | mapping | mapping | mapping        | finish | finish | mapping | mapping
      stranger-end-v5 | mapping | mapping | mapping        | finish | finish | mapping | mapping
      """;

  private static Map<String, TxnEvent> events() {
    Map<String, TxnEvent> events = new LinkedHashMap<>();
    events.put("init", new TxnEvent.Init(ID, ProducerIdentity.NONE, TIMEOUT));
    events.put("add", new TxnEvent.AddPartitions(who(7, 5), set(B), 2));
    events.put("add-known", new TxnEvent.AddPartitions(who(7, 5), set(A), 2));
    events.put("commit-v4", new TxnEvent.End(who(7, 5), true, 0));
    events.put("abort-v4", new TxnEvent.End(who(7, 5), false, 0));
    events.put("commit-v5", new TxnEvent.End(who(7, 5), true, 2));
    events.put("abort-v5", new TxnEvent.End(who(7, 5), false, 2));
    events.put("commit-v5-retry", new TxnEvent.End(who(7, 4), true, 2));
    events.put("abort-v5-retry", new TxnEvent.End(who(7, 4), false, 2));
    events.put("markers-done", new TxnEvent.MarkersDone());
    events.put("overdue", new TxnEvent.Overdue());
    events.put("not-overdue", new TxnEvent.Overdue());
    events.put("expire", new TxnEvent.Expire(5));
    events.put("not-expired", new TxnEvent.Expire(11));
    events.put("zombie-add", new TxnEvent.AddPartitions(who(7, 3), set(A), 0));
    events.put("zombie-end-v4", new TxnEvent.End(who(7, 4), true, 0));
    events.put("stranger-add", new TxnEvent.AddPartitions(who(8, 5), set(A), 0));
    events.put("stranger-end-v5", new TxnEvent.End(who(8, 5), true, 2));
    return events;
  }

  @Test
  void every_pair_of_state_and_event_is_as_listed() {
    Map<String, String> rows = new TreeMap<>();
    TABLE.lines().forEach(line -> rows.put(line.split("\\|", 2)[0].trim(), line));
    Map<String, TxnEvent> events = events();
    assertThat(rows.keySet()).containsExactlyInAnyOrderElementsOf(events.keySet());
    for (Map.Entry<String, TxnEvent> event : events.entrySet()) {
      String[] cells = rows.getOrDefault(event.getKey(), "").split("\\|");
      assertThat(cells).as(event.getKey()).hasSize(STATES.length + 1);
      for (int i = 0; i < STATES.length; i++) {
        assertThat(outcome(STATES[i], event.getKey(), event.getValue()))
            .as("%s in %s", event.getKey(), STATES[i])
            .isEqualTo(cells[i + 1].trim());
      }
    }
  }

  @Test
  void every_event_type_and_state_has_its_row_and_column() {
    assertThat(STATES).hasSize(TxnState.values().length + 1);
    assertThat(events().values().stream().map(Object::getClass).distinct().count())
        .isEqualTo(TxnEvent.class.getPermittedSubclasses().length);
  }

  private static String outcome(String state, String name, TxnEvent event) {
    TxnFixtures fixtures = new TxnFixtures();
    TxnEntry entry = state.equals("none") ? null : entry(TxnState.valueOf(state), 5, 2);
    long now = name.equals("overdue") ? TxnFixtures.NOW + TIMEOUT : TxnFixtures.NOW;
    TxnDecision decision = fixtures.machine.decide(entry, event, now);
    return decision.on(new Word());
  }

  /** A decision in one word. */
  private static final class Word implements TxnDecision.Handler<String> {
    @Override
    public String refuse(TxnDecision.Refuse decision) {
      return switch (decision.error()) {
        case INVALID_PRODUCER_ID_MAPPING -> "mapping";
        case INVALID_TXN_STATE -> "invalid";
        case PRODUCER_FENCED -> "fenced";
        default -> decision.error().name();
      };
    }

    @Override
    public String answer(TxnDecision.Answer decision) {
      return "ok";
    }

    @Override
    public String log(TxnDecision.Log decision) {
      boolean isRetried = decision.then() == TxnDecision.Then.FINISH_AND_RETRY;
      return decision.next().state().name() + (isRetried ? "+" : "");
    }

    @Override
    public String forget(TxnDecision.Forget decision) {
      return "forget";
    }

    @Override
    public String finishFirst(TxnDecision.FinishFirst decision) {
      return "finish";
    }
  }
}
