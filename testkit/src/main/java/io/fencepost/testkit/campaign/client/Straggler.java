package io.fencepost.testkit.campaign.client;

import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Outcome;
import io.fencepost.testkit.history.Pipeline;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.common.KafkaException;

/** Lets an instance stand still until its group has given it up, and then stage its offsets. */
final class Straggler implements Teller.Interference {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Clients clients;
  private final Recorder recorder;
  private final Tally tally;

  Straggler(Clients clients, Recorder recorder, Tally tally) {
    this.clients = clients;
    this.recorder = recorder;
    this.tally = tally;
  }

  @Override
  public boolean within(Teller teller, Teller.Open transaction) {
    if (!isGivenUp(transaction.member().memberId())) {
      return true;
    }
    Outcome outcome = Outcome.FAILED;
    String why = "";
    try {
      teller.stage(transaction);
      outcome = Outcome.OK;
    } catch (KafkaException | IllegalStateException e) {
      why = e.toString();
      throw e;
    } finally {
      recorder.add(new Event.StaleStaged(teller.session(), outcome, why));
    }
    return true;
  }

  private boolean isGivenUp(String memberId) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    try (Admin admin = clients.admin()) {
      while (System.nanoTime() < end) {
        ConsumerGroupDescription group =
            admin
                .describeConsumerGroups(List.of(Pipeline.GROUP))
                .describedGroups()
                .get(Pipeline.GROUP)
                .get();
        if (group.members().stream().noneMatch(m -> m.consumerId().equals(memberId))) {
          return true;
        }
        Parking.millis(100);
      }
    } catch (ExecutionException e) {
      tally.error(new KafkaException(e.getCause()));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return false;
  }
}
