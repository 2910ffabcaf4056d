package io.fencepost.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.WireError;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every rule by example. A partition is written {@code leader|isr|eligible|last leader}, its
 * replicas are 1, 2, 3 and its epoch is 5.
 */
class ElectionsTest {
  private static final int EPOCH = 5;

  private static PartitionState partition(String text) {
    String[] fields = text.split("\\|", -1);
    return new PartitionState(
        0, id(fields[0]), EPOCH, List.of(1, 2, 3), ids(fields[1]), ids(fields[2]), id(fields[3]));
  }

  private static String text(PartitionState partition) {
    return text(partition.leader())
        + "|"
        + text(partition.isr())
        + "|"
        + text(partition.eligible())
        + "|"
        + text(partition.lastLeader());
  }

  private static int id(String text) {
    return text.equals("-") ? PartitionState.NO_LEADER : Integer.parseInt(text);
  }

  private static String text(int id) {
    return id == PartitionState.NO_LEADER ? "-" : String.valueOf(id);
  }

  private static List<Integer> ids(String text) {
    return text.isEmpty()
        ? List.of()
        : Arrays.stream(text.split(" ")).map(Integer::valueOf).toList();
  }

  private static String text(List<Integer> ids) {
    return String.join(" ", ids.stream().map(String::valueOf).toList());
  }

  private static Elections.Terms terms(String alive, int minIsr, boolean unclean) {
    return new Elections.Terms(ids(alive)::contains, minIsr, unclean);
  }

  private static void assertNext(PartitionState before, PartitionState next, String expected) {
    assertThat(text(next)).isEqualTo(expected);
    boolean isElection = next.leader() != before.leader();
    assertThat(next.leaderEpoch()).isEqualTo(isElection ? EPOCH + 1 : EPOCH);
    if (next.equals(before)) {
      assertThat(next).isSameAs(before);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // before      ; gone; lost ; alive; min; unclean; after
        // A follower goes: the leader stays, and nobody becomes eligible while enough are in sync.
        "1|1 2 3||-    ; 3; false; 1 2  ; 2; false; 1|1 2||-",
        "1|1 2||-      ; 2; false; 1 3  ; 2; false; 1|1|2|-",
        "1|1 2||-      ; 2; false; 1 3  ; 1; false; 1|1||-",
        // The leader goes: the next in sync that is alive, in the order of replicas.
        "1|1 2 3||-    ; 1; false; 2 3  ; 2; false; 2|2 3||-",
        "1|3 1 2||-    ; 1; false; 2 3  ; 2; false; 2|3 2||-",
        "1|1 2 3||-    ; 1; false; 3    ; 2; false; 3|2 3||-",
        "2|2 3||-      ; 2; false; 1 3  ; 2; false; 3|3|2|-",
        // The last one in sync goes: it may lead later, and others that are eligible may now.
        "1|1||-        ; 1; false; 2 3  ; 1; false; -||1|1",
        "1|1|2|-       ; 1; false; 2 3  ; 2; false; 2|2|1|-",
        "1|1|2 3|-     ; 1; false; 3    ; 2; false; 3|3|1 2|-",
        "1|1|2|-       ; 1; false; 3    ; 2; false; -||1 2|1",
        // One in sync beats one that is eligible.
        "1|1 3|2|-     ; 1; false; 2 3  ; 3; false; 3|3|1 2|-",
        // Who lost records is neither in sync nor eligible, but is remembered as the last leader.
        "1|1||-        ; 1; true ; 2 3  ; 1; false; -|||1",
        "1|1|2|-       ; 1; true ; 2 3  ; 2; false; 2|2||-",
        "-||1 2|1      ; 1; true ; 3    ; 2; false; -||2|1",
        "-||1|1        ; 1; true ; 2 3  ; 1; false; -|||1",
        "2|2|1|-       ; 1; true ; 2 3  ; 2; false; 2|2||-",
        // Unclean, if the topic allows it: anybody alive, and nobody else counts any more.
        "1|1||-        ; 1; false; 2 3  ; 1; true ; 2|2||-",
        "1|1||-        ; 1; false; 3    ; 2; true ; 3|3||-",
        "1|1|3|-       ; 1; false; 2 3  ; 2; true ; 3|3|1|-",
        "1|1||-        ; 1; false; ''   ; 1; true ; -||1|1",
        // Who is no replica in sync changes nothing.
        "1|1 2||-      ; 3; false; 1 2  ; 2; false; 1|1 2||-",
        "-||1|1        ; 2; false; 3    ; 1; false; -||1|1",
        "1|1 2||-      ; 9; true ; 1 2  ; 2; false; 1|1 2||-",
      })
  void a_broker_goes(
      String before,
      int gone,
      boolean lost,
      String alive,
      int minIsr,
      boolean unclean,
      String after) {
    PartitionState partition = partition(before);
    assertNext(
        partition, Elections.without(partition, gone, lost, terms(alive, minIsr, unclean)), after);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // before      ; alive; min; ends (epoch:end of 1, 2, 3); after
        // Equal logs: who led leads, all stay in sync.
        "-|1 2 3||2    ; 1 2 3; 2; 4:9 4:9 4:9   ; 2|1 2 3||-",
        // The longest leads, and who has less than it has to catch up first.
        "-|1 2 3||1    ; 1 2 3; 2; -1:0 4:9 4:9  ; 2|2 3||-",
        "-|1 2 3||1    ; 1 2 3; 2; 4:8 4:7 4:9   ; 3|3||-",
        // A later epoch beats more records of an earlier one.
        "-|1 2 3||1    ; 1 2 3; 2; 3:99 4:9 3:99 ; 2|2||-",
        // Who was eligible had all too; who was neither had not, however much it has.
        "-|1|2|1       ; 1 2 3; 2; -1:0 4:9 4:99 ; 2|2||-",
        "-|1||1        ; 1 2 3; 1; -1:0 4:9 4:9  ; 1|1||-",
        // Who is not there does not lead; it stays eligible.
        "-||1 2|1      ; 2 3  ; 2; -1:0 4:9 4:9  ; 2|2|1|-",
        "-||1|1        ; 2 3  ; 2; -1:0 4:9 4:9  ; -||1|1",
        "-|||1         ; 1 2 3; 1; 4:8 4:9 4:9   ; 1|1||-",
      })
  void all_brokers_start_anew(String before, String alive, int minIsr, String logs, String after) {
    TreeMap<Integer, ReplicaEnd> ends = new TreeMap<>();
    for (String log : logs.split(" ")) {
      String[] fields = log.split(":");
      ends.put(
          ends.size() + 1,
          new ReplicaEnd(Integer.parseInt(fields[0]), Long.parseLong(fields[1]), false));
    }
    PartitionState partition = partition(before);
    assertNext(partition, Elections.byLogs(partition, ends, terms(alive, minIsr, false)), after);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // before      ; alive; min; unclean; after
        "-||1|1        ; 1 2  ; 1; false; 1|1||-",
        "-||1 2|1      ; 1 2  ; 2; false; 1|1|2|-",
        "-||1 2|1      ; 2 3  ; 2; false; 2|2|1|-",
        // As soon as one in sync is enough, the others may lack what it commits.
        "-||1 2|1      ; 2 3  ; 1; false; 2|2||-",
        "-||1|1        ; 2 3  ; 1; false; -||1|1",
        "-||1|1        ; 2 3  ; 1; true ; 2|2||-",
        // Nobody is known to have all: the last leader has most, also where unclean is allowed.
        "-|||1         ; 1 2 3; 1; false; 1|1||-",
        "-|||3         ; 1 2 3; 1; true ; 3|3||-",
        "-|||1         ; 2 3  ; 1; false; -|||1",
        "-|||1         ; 2 3  ; 1; true ; 2|2||-",
        "-||2|1        ; 1    ; 1; false; -||2|1",
        // A leader stays, whoever comes back.
        "2|2 3||-      ; 1 2 3; 2; true ; 2|2 3||-",
        // min.insync.replicas is lower by now.
        "2|2|1|-       ; 1 2 3; 1; false; 2|2||-",
      })
  void a_broker_comes_back_or_a_setting_changes(
      String before, String alive, int minIsr, boolean unclean, String after) {
    PartitionState partition = partition(before);
    assertNext(partition, Elections.reviewed(partition, terms(alive, minIsr, unclean)), after);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // before      ; wanted; min; after
        "1|1||-        ; 1 2   ; 2; 1|1 2||-",
        "1|1|2 3|-     ; 1 2   ; 2; 1|1 2||-",
        "1|1|2 3|-     ; 2 1   ; 3; 1|1 2|3|-",
        "1|1 2 3||-    ; 1     ; 1; 1|1||-",
        "1|1 2 3||-    ; 1 3   ; 2; 1|1 3||-",
        "1|1 2 3||-    ; 1     ; 2; 1|1|2 3|-",
        "1|1 2||-      ; 1 3   ; 3; 1|1 3|2|-",
        // More are asked for than there are replicas: all of them are enough.
        "1|1 2|3|-     ; 1 2 3 ; 9; 1|1 2 3||-",
        // The leader asks to be relieved.
        "1|1 2 3||-    ; 2 3   ; 2; 2|2 3||-",
        "1|1 2||-      ; 2     ; 2; 2|2|1|-",
      })
  void a_leader_asks_for_others_in_sync(String before, String wanted, int minIsr, String after) {
    PartitionState partition = partition(before);
    assertNext(
        partition, Elections.withIsr(partition, ids(wanted), terms("1 2 3", minIsr, false)), after);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        // before      ; type     ; alive; error                          ; after
        "2|1 2 3||-    ; PREFERRED; 1 2 3; NONE                           ; 1|1 2 3||-",
        "1|1 2 3||-    ; PREFERRED; 1 2 3; ELECTION_NOT_NEEDED            ; ''",
        "2|2 3||-      ; PREFERRED; 1 2 3; PREFERRED_LEADER_NOT_AVAILABLE ; ''",
        "2|2|1|-       ; PREFERRED; 1 2 3; PREFERRED_LEADER_NOT_AVAILABLE ; ''",
        "2|1 2||-      ; PREFERRED; 2 3  ; PREFERRED_LEADER_NOT_AVAILABLE ; ''",
        "-||1|1        ; PREFERRED; 2 3  ; PREFERRED_LEADER_NOT_AVAILABLE ; ''",
        "2|1 2||-      ; UNCLEAN  ; 1 2 3; ELECTION_NOT_NEEDED            ; ''",
        "-||1|1        ; UNCLEAN  ; 2 3  ; NONE                           ; 2|2||-",
        "-||1 3|1      ; UNCLEAN  ; 2 3  ; NONE                           ; 3|3|1|-",
        "-||1|1        ; UNCLEAN  ; ''   ; ELIGIBLE_LEADERS_NOT_AVAILABLE ; ''",
      })
  void somebody_asks_for_an_election(
      String before, ElectionType type, String alive, WireError error, String after) {
    PartitionState partition = partition(before);
    Elections.Outcome outcome = Elections.elect(partition, type, terms(alive, 2, false));
    assertThat(outcome.error()).isEqualTo(error);
    PartitionState elected = outcome.elected();
    if (after.isEmpty()) {
      assertThat(elected).isNull();
    } else {
      assertThat(elected).isNotNull();
      assertNext(partition, elected, after);
    }
  }

  @Test
  void whatever_six_moves_of_three_brokers_come_in_a_row_the_state_makes_sense() {
    explore(partition("1|1 2 3||-"), List.of(1, 2, 3), 6);
  }

  /** Brokers go and come in every order; the leader shrinks and expands as it likes. */
  private static void explore(PartitionState partition, List<Integer> alive, int steps) {
    assertSound(partition, alive);
    if (steps == 0) {
      return;
    }
    for (int broker = 1; broker <= 3; broker++) {
      int moved = broker;
      boolean isAlive = alive.contains(broker);
      List<Integer> next =
          isAlive
              ? alive.stream().filter(id -> id != moved).toList()
              : List.of(1, 2, 3).stream().filter(id -> id == moved || alive.contains(id)).toList();
      Elections.Terms terms = new Elections.Terms(next::contains, 2, false);
      if (isAlive) {
        explore(Elections.without(partition, broker, false, terms), next, steps - 1);
        explore(Elections.without(partition, broker, true, terms), next, steps - 1);
      } else {
        explore(Elections.reviewed(partition, terms), next, steps - 1);
      }
    }
    if (partition.hasLeader()) {
      Elections.Terms terms = new Elections.Terms(alive::contains, 2, false);
      explore(Elections.withIsr(partition, alive, terms), alive, steps - 1);
      List<Integer> alone = List.of(partition.leader());
      explore(Elections.withIsr(partition, alone, terms), alive, steps - 1);
    }
  }

  private static void assertSound(PartitionState partition, List<Integer> alive) {
    assertThat(partition.isr().stream().filter(partition.eligible()::contains)).isEmpty();
    assertThat(partition.isr().isEmpty()).isEqualTo(!partition.hasLeader());
    if (partition.hasLeader()) {
      assertThat(alive).containsAll(partition.isr());
      assertThat(partition.isr()).contains(partition.leader());
      assertThat(partition.lastLeader()).isEqualTo(PartitionState.NO_LEADER);
    } else {
      assertThat(alive.stream().filter(partition.eligible()::contains)).isEmpty();
      assertThat(partition.lastLeader()).isNotEqualTo(PartitionState.NO_LEADER);
    }
    if (partition.isr().size() >= 2) {
      assertThat(partition.eligible()).isEmpty();
    }
  }
}
