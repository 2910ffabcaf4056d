package io.fencepost.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.port.sim.SimEntropy;
import io.fencepost.broker.wire.WireError;
import io.fencepost.testkit.fault.FaultKind.Takes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Any plan is the same after it was written and read; no text breaks the parser. */
class FaultPlanPropertyTest {
  private static final int ROUNDS = 2_000;
  private static final String LETTERS = "aZ0._- ;:@[]\"\\=,#%~/é for by";

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void a_plan_survives_its_text(long seed) {
    SimEntropy chance = new SimEntropy(seed);
    for (int round = 0; round < ROUNDS; round++) {
      FaultPlan plan = plan(chance);
      assertThat(FaultPlan.parse(plan.toString()))
          .as("seed %d, round %d: %s", seed, round, plan)
          .isEqualTo(plan);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {4, 5, 6})
  void a_damaged_text_is_read_or_refused_in_words(long seed) {
    SimEntropy chance = new SimEntropy(seed);
    int refused = 0;
    for (int round = 0; round < ROUNDS; round++) {
      StringBuilder text = new StringBuilder(plan(chance).toString());
      for (int i = 0; i <= chance.nextInt(3); i++) {
        text.setCharAt(chance.nextInt(text.length()), letter(chance));
      }
      String damaged = text.toString();
      try {
        FaultPlan read = FaultPlan.parse(damaged);
        assertThat(FaultPlan.parse(read.toString()))
            .as("seed %d: %s", seed, damaged)
            .isEqualTo(read);
      } catch (IllegalArgumentException e) {
        refused++;
        assertThat(e)
            .as("seed %d: %s", seed, damaged)
            .isExactlyInstanceOf(IllegalArgumentException.class);
        assertThat(e).hasMessageContaining("(in '");
      }
    }
    assertThat(refused).as("seed %d", seed).isBetween(ROUNDS / 10, ROUNDS - 1);
  }

  private static FaultPlan plan(SimEntropy chance) {
    FaultPlan plan = FaultPlan.NONE;
    for (int i = 0; i <= chance.nextInt(4); i++) {
      plan = plan.and(new FaultPlan(List.of(fault(chance))));
    }
    return plan;
  }

  private static PlannedFault fault(SimEntropy chance) {
    FaultPoint point = oneOf(chance, FaultPoints.all());
    FaultKind kind = oneOf(chance, new ArrayList<>(point.kinds()));
    return new PlannedFault(point, filter(chance), timing(chance), action(chance, kind));
  }

  private static FaultFilter filter(SimEntropy chance) {
    FaultFilter filter = FaultFilter.ALL;
    if (chance.oneOf(200)) {
      filter = filter.withPartition(FaultFilter.partition("t-" + chance.nextInt(9)));
    }
    if (chance.oneOf(200)) {
      filter = filter.withTopic(name(chance));
    }
    if (chance.oneOf(200)) {
      filter = filter.withTransactionalId(name(chance));
    }
    if (chance.oneOf(200)) {
      filter = filter.withClientId(name(chance));
    }
    return chance.oneOf(200) ? filter.withGroup(name(chance)) : filter;
  }

  private static Timing timing(SimEntropy chance) {
    return switch (chance.nextInt(3)) {
      case 0 -> Timing.occurrence(1 + chance.nextInt(1_000_000));
      case 1 -> Timing.every(1 + chance.nextInt(1_000));
      default -> Timing.share((1 + chance.nextInt(1_000_000)) / 1_000_000.0, chance.nextLong());
    };
  }

  private static FaultAction action(SimEntropy chance, FaultKind kind) {
    Takes takes = kind.takes();
    boolean numbered =
        takes == Takes.NUMBER || takes == Takes.NUMBER_AND_LENGTH || takes == Takes.SHIFT;
    boolean timed =
        takes == Takes.NUMBER_AND_LENGTH || takes == Takes.SHIFT || kind == FaultKind.DELAYED;
    boolean backwards = takes == Takes.SHIFT && chance.oneOf(500);
    long millis = 1 + chance.nextInt(3) * 3_600_000L + chance.nextInt(4_000) * 999L;
    return new FaultAction(
        kind,
        numbered ? chance.nextInt(4) : 0,
        of(chance, kind),
        timed ? Duration.ofMillis(backwards ? -millis : millis) : null,
        kind == FaultKind.ANSWERED ? WireError.of((short) (1 + chance.nextInt(120))) : null);
  }

  private static @Nullable String of(SimEntropy chance, FaultKind kind) {
    if (kind.takes() != Takes.OF || chance.oneOf(500)) {
      return null;
    }
    return kind == FaultKind.MOVE_LEADER ? "my topic-" + chance.nextInt(9) : name(chance);
  }

  private static String name(SimEntropy chance) {
    StringBuilder name = new StringBuilder();
    for (int i = 0; i < chance.nextInt(8); i++) {
      name.append(letter(chance));
    }
    return name.toString();
  }

  private static char letter(SimEntropy chance) {
    return LETTERS.charAt(chance.nextInt(LETTERS.length()));
  }

  private static <T> T oneOf(SimEntropy chance, List<T> choices) {
    return choices.get(chance.nextInt(choices.size()));
  }
}
