package io.fencepost.testkit.campaign.client;

import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Outcome;
import io.fencepost.testkit.history.Pipeline;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.KafkaException;

/**
 * Lets an instance stand still until its group has come together without it, and then stage its
 * offsets. Before that it may be a member again: a classic group writes down who is left only when
 * it has come together, so a coordinator that takes over knows those of the last time.
 */
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
    String known = givenUp(transaction.member());
    if (known.isEmpty()) {
      return true;
    }
    Outcome outcome = Outcome.FAILED;
    String why = known;
    try {
      teller.stage(transaction);
      outcome = Outcome.OK;
    } catch (KafkaException | IllegalStateException e) {
      why = e + "; " + known;
      throw e;
    } finally {
      recorder.add(new Event.StaleStaged(teller.session(), outcome, why));
    }
    return true;
  }

  /** What the group says once it has no such member any more; empty if that never happens. */
  private String givenUp(ConsumerGroupMetadata member) {
    long start = System.nanoTime();
    long end = start + PATIENCE.toNanos();
    try (Admin admin = clients.admin()) {
      while (System.nanoTime() < end) {
        ConsumerGroupDescription group =
            admin
                .describeConsumerGroups(List.of(Pipeline.GROUP))
                .all()
                .get()
                .values()
                .iterator()
                .next();
        if (group.groupState() == GroupState.STABLE
            && group.members().stream().noneMatch(m -> m.consumerId().equals(member.memberId()))) {
          return "after %d ms as %s, generation %d, of %s"
              .formatted(
                  TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start),
                  member.memberId(),
                  member.generationId(),
                  group);
        }
        Parking.millis(100);
      }
    } catch (ExecutionException e) {
      tally.error(new KafkaException(e.getCause()));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return "";
  }
}
