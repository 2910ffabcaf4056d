package io.fencepost.samples.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The races with Fencepost's cluster alone; they fail by themselves if a record is lost. */
class ClusterRacesIT {
  @Test
  void every_kill_of_a_leader_gives_one_figure() throws Exception {
    try (CleanUp cleanUp = new CleanUp()) {
      Map<String, List<FailoverRace.Kill>> kills =
          new FailoverRace(List.of(new FencepostClusterContender(cleanUp)), 2, phase -> {})
              .run(cleanUp.directory());

      assertThat(kills.get("Fencepost")).hasSize(2).allMatch(it -> it.millis() > 0);
    }
  }

  @Test
  void the_next_coordinator_of_many_ids_answers_after_its_election() throws Exception {
    try (CleanUp cleanUp = new CleanUp()) {
      Map<String, List<CoordinatorRace.Move>> moves =
          new CoordinatorRace(List.of(new FencepostClusterContender(cleanUp)), 200, 1, phase -> {})
              .run(cleanUp.directory());

      assertThat(moves.get("Fencepost"))
          .hasSize(1)
          .allMatch(it -> it.electionMillis() > 0 && it.identityMillis() >= it.answerMillis());
    }
  }
}
