package io.fencepost.testkit.campaign.client;

import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Outcome;
import io.fencepost.testkit.history.Pipeline;
import io.fencepost.testkit.history.Posting;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.KafkaException;

/**
 * Lets an instance stand still until its successor owns the transactional id, and then go on as if
 * nothing had happened. What it asks for first goes to a broker; after that its client may know.
 */
final class Zombie implements Teller.Interference {
  private final Crew.Seat seat;
  private final Recorder recorder;
  private final Tally tally;

  private enum Request {
    PRODUCE,
    OFFSETS,
    END
  }

  Zombie(Crew.Seat seat, Recorder recorder, Tally tally) {
    this.seat = seat;
    this.recorder = recorder;
    this.tally = tally;
  }

  @Override
  public boolean within(Teller teller, Teller.Open transaction) {
    teller.producer().flush();
    seat.succeed();
    if (seat.awaitSuccessor(teller)) {
      List<Request> requests = new ArrayList<>(List.of(Request.values()));
      Collections.shuffle(requests, new Random(seat.draw()));
      requests.forEach(request -> late(teller, transaction, request));
      tally.fenced();
    }
    return false;
  }

  private void late(Teller teller, Teller.Open transaction, Request request) {
    Outcome outcome = Outcome.FAILED;
    String why = "";
    try {
      if (isServed(teller, transaction, request)) {
        outcome = Outcome.OK;
      }
    } catch (KafkaException | IllegalStateException e) {
      why = e.toString();
    }
    recorder.add(new Event.Late(teller.session(), request.name(), outcome, why));
  }

  private boolean isServed(Teller teller, Teller.Open transaction, Request request) {
    switch (request) {
      case PRODUCE -> {
        Sends sends = transaction.sends();
        Posting.Key key = new Posting.Key("late-" + teller.session(), 1);
        sends.send(
            Pipeline.ACCEPTED, 0, new Posting(sends.nextName(), key, BigDecimal.ONE, "late"));
        teller.producer().flush();
        return sends.isLastAcknowledged();
      }
      case OFFSETS -> teller.stage(transaction);
      case END -> {
        recorder.add(new Event.EndAsked(transaction.name(), true));
        teller.producer().commitTransaction();
      }
    }
    return true;
  }
}
