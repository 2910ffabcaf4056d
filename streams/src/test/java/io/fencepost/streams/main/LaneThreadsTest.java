package io.fencepost.streams.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.streams.task.Lanes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LaneThreadsTest {
  private final LaneThreads lanes = new LaneThreads("job-0");

  @AfterEach
  void close() {
    lanes.close();
  }

  @Test
  void different_lanes_run_at_once() throws Exception {
    CountDownLatch bothRun = new CountDownLatch(2);
    List<Lanes.Call> calls = new ArrayList<>();
    for (int lane = 0; lane < 2; lane++) {
      calls.add(
          lanes.start(
              lane,
              () -> {
                bothRun.countDown();
                return bothRun.await(30, TimeUnit.SECONDS);
              }));
    }
    for (Lanes.Call call : calls) {
      assertThat(call.await()).isEqualTo(true);
    }
  }

  @Test
  void one_lane_runs_its_calls_in_their_order() throws Exception {
    List<Integer> ran = Collections.synchronizedList(new ArrayList<>());
    List<Lanes.Call> calls = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      int number = i;
      calls.add(lanes.start(7, () -> ran.add(number)));
    }
    for (Lanes.Call call : calls) {
      call.await();
    }
    assertThat(ran).isSorted().hasSize(100);
  }

  @Test
  void what_the_code_throws_comes_out_as_it_is() {
    Lanes.Call call =
        lanes.start(
            0,
            () -> {
              throw new IOException("far away");
            });
    assertThatThrownBy(call::await).isInstanceOf(IOException.class).hasMessage("far away");
  }
}
