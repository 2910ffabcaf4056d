package io.fencepost.streams.operators;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AlignmentTest {
  @Test
  void the_windows_of_a_time_are_all_that_hold_it_before_1970_too() {
    for (int size = 1; size <= 12; size++) {
      for (int advance = 1; advance <= size; advance++) {
        for (long time = -40; time <= 40; time++) {
          assertThat(starts(new Alignment(size, advance), time))
              .as("size %d, advance %d, time %d", size, advance, time)
              .isEqualTo(multiplesWithTime(size, advance, time));
        }
      }
    }
  }

  private static List<Long> starts(Alignment alignment, long time) {
    List<Long> starts = new ArrayList<>();
    for (long start = alignment.firstStartMs(time); start <= time; start += alignment.advanceMs()) {
      starts.add(start);
    }
    return starts;
  }

  private static List<Long> multiplesWithTime(int size, int advance, long time) {
    List<Long> starts = new ArrayList<>();
    for (long multiple = -100; multiple <= 100; multiple++) {
      long start = multiple * advance;
      if (start <= time && time < start + size) {
        starts.add(start);
      }
    }
    return starts;
  }
}
