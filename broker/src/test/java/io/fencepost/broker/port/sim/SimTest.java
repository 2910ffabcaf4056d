package io.fencepost.broker.port.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.port.FrameService;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SimTest {
  private final SimClock clock = new SimClock();

  /** Twenty requests on each of three connections through bad weather; returns the history. */
  private static Trace run(long seed) {
    SimClock clock = new SimClock();
    SimEntropy entropy = new SimEntropy(seed);
    SimScheduler scheduler = new SimScheduler(clock, entropy);
    SimTransport transport = new SimTransport(scheduler, entropy);
    transport.weather(new SimTransport.Weather(20, 20, 20, 20));
    Trace trace = new Trace(clock);
    transport.serve(
        (frame, peer, answer) ->
            scheduler.after(
                3,
                () -> {
                  trace.add("served " + peer.connectionId() + ":" + frame.getInt(0));
                  answer.send(List.of(io.fencepost.broker.port.Bytes.of(frame)));
                }));
    for (int i = 0; i < 3; i++) {
      SimTransport.Connection connection =
          transport.connect("host", new Recorder(trace, "client " + i));
      assertThat(connection).isNotNull();
      for (int j = 0; j < 20; j++) {
        connection.send(ByteBuffer.allocate(4).putInt(0, j));
      }
    }
    scheduler.runUntilIdle(10_000);
    return trace;
  }

  private record Recorder(Trace trace, String name) implements SimTransport.Client {
    @Override
    public void onAnswer(ByteBuffer frame) {
      trace.add(name + " got " + frame.getInt(0));
    }

    @Override
    public void onClosed(String reason) {
      trace.add(name + " closed: " + reason);
    }
  }

  @Test
  void the_same_seed_gives_the_same_history_and_another_seed_another() {
    assertThat(run(1).hash()).isEqualTo(run(1).hash()).isNotEqualTo(run(2).hash());
  }

  @Test
  void answers_of_one_connection_keep_their_order() {
    for (long seed = 0; seed < 50; seed++) {
      List<Integer> got = new ArrayList<>();
      for (String line : run(seed).lines()) {
        if (line.contains("client 0 got ")) {
          got.add(Integer.valueOf(line.substring(line.lastIndexOf(' ') + 1)));
        }
      }
      assertThat(got).as("seed %s", seed).isSorted();
    }
  }

  @Test
  void tasks_run_by_due_time_and_move_the_clock() {
    SimScheduler scheduler = new SimScheduler(clock, new SimEntropy(3));
    List<String> ran = new ArrayList<>();
    scheduler.after(20, () -> ran.add("late"));
    scheduler.after(10, () -> ran.add("early"));
    scheduler.after(15, () -> ran.add("never")).cancel();
    scheduler.runFor(12);
    assertThat(ran).containsExactly("early");
    scheduler.runUntilIdle(10);
    assertThat(ran).containsExactly("early", "late");
    assertThat(clock.monotonicNanos()).isEqualTo(20_000_000);
  }

  @Test
  void a_named_stream_does_not_depend_on_other_draws() {
    SimEntropy first = new SimEntropy(5);
    SimEntropy second = new SimEntropy(5);
    long drawnElsewhere = second.nextLong();
    assertThat(first.named("x").nextLong())
        .isEqualTo(second.named("x").nextLong())
        .isNotEqualTo(drawnElsewhere);
  }

  @Test
  void a_broker_that_is_gone_answers_nobody() {
    SimEntropy entropy = new SimEntropy(9);
    SimScheduler scheduler = new SimScheduler(clock, entropy);
    SimTransport transport = new SimTransport(scheduler, entropy);
    Trace trace = new Trace(clock);
    List<FrameService.Answer> held = new ArrayList<>();
    transport.serve((frame, peer, answer) -> held.add(answer));
    SimTransport.Connection connection = transport.connect("host", new Recorder(trace, "client"));
    assertThat(connection).isNotNull();
    connection.send(ByteBuffer.allocate(4));
    scheduler.runUntilIdle(10);
    transport.stopServing();
    held.get(0).send(List.of());
    scheduler.runUntilIdle(10);
    assertThat(trace.toString()).contains("closed: the broker is gone").doesNotContain("got");
    assertThat(transport.connect("host", new Recorder(trace, "late"))).isNull();
  }
}
