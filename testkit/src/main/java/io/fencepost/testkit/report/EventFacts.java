package io.fencepost.testkit.report;

import io.fencepost.broker.wire.TopicPartition;
import io.fencepost.testkit.history.Content;
import io.fencepost.testkit.history.Event;
import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.history.Outcome;
import io.fencepost.testkit.history.Transactions;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What an event is about, and what it says in words.
 *
 * @param who did it or saw it; empty for what logs hold
 * @param offset where it stands, or the first offset that it is about; -1 if it names none
 * @param value of the record that it is about
 */
record EventFacts(
    String who,
    String sentence,
    SortedSet<String> transactions,
    @Nullable TopicPartition partition,
    long offset,
    @Nullable String value) {
  static EventFacts of(Event event) {
    EventFacts facts = ofClients(event);
    facts = facts == null ? ofReaders(event) : facts;
    facts = facts == null ? ofSessions(event) : facts;
    facts = facts == null ? ofLogs(event) : facts;
    facts = facts == null ? ofBrokers(event) : facts;
    return facts == null ? told("", event.toString()) : facts;
  }

  private static @Nullable EventFacts ofClients(Event event) {
    if (event instanceof Event.SendAsked it) {
      return record(
              it.transaction(), "sends " + it.value() + " to " + it.partition(), it.partition(), -1)
          .with(it.value());
    }
    if (event instanceof Event.Sent it) {
      String sent = "sent " + it.value() + " to " + it.partition();
      return record(it.transaction(), sent + answer(it), it.partition(), it.offset())
          .with(it.value());
    }
    if (event instanceof Event.EndAsked it) {
      return record(it.transaction(), "asks to " + end(it.commit()), null, -1);
    }
    if (event instanceof Event.Ended it) {
      String ended = "asked to " + end(it.commit()) + ": " + outcome(it.outcome());
      return record(it.transaction(), ended, null, -1);
    }
    if (event instanceof Event.Staged it) {
      String staged =
          "stages offset %d of %s for group %s".formatted(it.offset(), it.partition(), it.group());
      return record(it.transaction(), staged, it.partition(), it.offset());
    }
    if (event instanceof Event.Took it) {
      String took = "used %s, read at %s@%d".formatted(it.value(), it.partition(), it.offset());
      return record(it.transaction(), took, it.partition(), it.offset()).with(it.value());
    }
    if (event instanceof Event.Overdue it) {
      String asked = "asked for its commit after its timeout: " + outcome(it.outcome());
      return record(it.transaction(), asked + because(it.why()), null, -1);
    }
    return null;
  }

  private static @Nullable EventFacts ofReaders(Event event) {
    if (event instanceof Event.Read it) {
      String read =
          "is handed %s at %s@%d under %s%s"
              .formatted(
                  it.value(),
                  it.partition(),
                  it.offset(),
                  level(it.isolation()),
                  madeOf(it.content()));
      return place(it.reader(), read, it.partition(), it.offset()).with(it.value());
    }
    if (event instanceof Event.Started it) {
      String starts = "begins to read %s at offset %d".formatted(it.partition(), it.offset());
      return place(it.reader(), starts, it.partition(), it.offset());
    }
    if (event instanceof Event.Passed it) {
      String passes =
          "goes on in %s at offset %d: it will not be handed what is below"
              .formatted(it.partition(), it.position());
      return place(it.reader(), passes, it.partition(), it.position());
    }
    if (event instanceof Event.Probed it) {
      String probed =
          "was handed all of %s from offset %d, below %d"
              .formatted(it.partition(), it.fromOffset(), it.toOffset());
      return place(it.reader(), probed, it.partition(), it.fromOffset());
    }
    if (event instanceof Event.Watermarks it) {
      String hears =
          "hears of %s: last stable offset %d, high watermark %d"
              .formatted(it.partition(), it.lastStableOffset(), it.highWatermark());
      return place(it.reader(), hears, it.partition(), it.lastStableOffset());
    }
    if (event instanceof Event.Bounds it) {
      String bounds =
          "%s starts at %d, last stable offset %d, high watermark %d"
              .formatted(
                  it.partition(), it.logStartOffset(), it.lastStableOffset(), it.highWatermark());
      return place("leader", bounds, it.partition(), it.lastStableOffset());
    }
    if (event instanceof Event.Stood it) {
      String stood =
          "was handed all of %s below %d while the last stable offset stood at %d"
              .formatted(it.partition(), it.toOffset(), it.lastStableOffset());
      return place(it.reader(), stood, it.partition(), it.lastStableOffset());
    }
    if (event instanceof Event.Scanned it) {
      String scanned =
          "read all of %s at the end, from offset %d, below %d, under %s"
              .formatted(it.partition(), it.fromOffset(), it.toOffset(), level(it.isolation()));
      return place(it.reader(), scanned, it.partition(), it.fromOffset());
    }
    if (event instanceof Event.OffsetSeen it) {
      String seen =
          it.offset() < 0
              ? "has no committed offset in " + it.partition()
              : "has committed offset %d in %s".formatted(it.offset(), it.partition());
      return place("group " + it.group(), seen, it.partition(), it.offset());
    }
    if (event instanceof Event.OffsetAsked it) {
      String asked = "is asked for its committed offset in " + it.partition();
      return place("group " + it.group(), asked, it.partition(), -1);
    }
    return null;
  }

  private static String madeOf(Content content) {
    return content.origin().isEmpty() ? "" : ", made of " + content.origin();
  }

  private static @Nullable EventFacts ofSessions(Event event) {
    if (event instanceof Event.Opened it) {
      return told(it.session(), "owns transactional id " + it.transactionalId() + " from now on");
    }
    if (event instanceof Event.Late it) {
      return told(
          it.session(),
          "sends %s after its successor has begun: %s"
              .formatted(it.request(), outcome(it.outcome()) + because(it.why())));
    }
    if (event instanceof Event.StaleStaged it) {
      return told(
          it.session(),
          "stages offsets as a member that was given up: "
              + outcome(it.outcome())
              + because(it.why()));
    }
    if (event instanceof Event.Fault it) {
      return told("fault", it.what());
    }
    if (event instanceof Event.Repair it) {
      return told("repair", it.what());
    }
    if (event instanceof Event.Trouble it) {
      return told("trouble", it.what());
    }
    if (event instanceof Event.Finished) {
      return told("", "nobody writes any more, and all is read");
    }
    if (event instanceof Event.Flow it) {
      return told(
          "group " + it.group(),
          "makes %s of %s: %s"
              .formatted(it.output(), it.input(), it.takes().name().toLowerCase(Locale.ROOT)));
    }
    if (event instanceof Event.Cleanup it) {
      return told(
          "topic " + it.topic(),
          "loses records: cleanup.policy is " + it.policy().name().toLowerCase(Locale.ROOT));
    }
    if (event instanceof Event.FileFinding it) {
      return told("files", it.sentence());
    }
    if (event instanceof Event.FilesChecked it) {
      return told("files", "%d batches were checked".formatted(it.batchCount()));
    }
    return null;
  }

  private static @Nullable EventFacts ofLogs(Event event) {
    if (event instanceof Event.Batch it) {
      String batch =
          "%s@%d: %d records of producer %d, epoch %d, from sequence %d"
              .formatted(
                  it.partition(),
                  it.baseOffset(),
                  it.recordCount(),
                  it.producerId(),
                  it.producerEpoch(),
                  it.baseSequence());
      return place("log", batch, it.partition(), it.baseOffset());
    }
    if (event instanceof Event.TransactionalBatch it) {
      String batch =
          "%s@%d: records of %s, producer %d, epoch %d"
              .formatted(
                  it.partition(),
                  it.baseOffset(),
                  it.transactions().isEmpty()
                      ? "a transaction"
                      : String.join(", ", it.transactions()),
                  it.producer().producerId(),
                  it.producer().epoch());
      return new EventFacts("log", batch, it.transactions(), it.partition(), it.baseOffset(), null);
    }
    if (event instanceof Event.MarkerLogged it) {
      String marker =
          "%s@%d: %s marker for producer %d, epoch %d, by coordinator epoch %d"
              .formatted(
                  it.partition(),
                  it.offset(),
                  end(it.commit()),
                  it.producer().producerId(),
                  it.producer().epoch(),
                  it.coordinatorEpoch());
      return place("log", marker, it.partition(), it.offset());
    }
    if (event instanceof Event.StateLogged it) {
      String state =
          "%s@%d: %s is %s, producer %d, epoch %d, partitions %s"
              .formatted(
                  it.partition(),
                  it.offset(),
                  it.transactionalId(),
                  it.state().label(),
                  it.producer().producerId(),
                  it.producer().epoch(),
                  it.partitions());
      return place("log", state, it.partition(), it.offset());
    }
    return null;
  }

  private static @Nullable EventFacts ofBrokers(Event event) {
    if (event instanceof Event.Led it) {
      return told(
          "broker " + it.broker(),
          "leads %s in leader epoch %d".formatted(it.partition(), it.leaderEpoch()));
    }
    if (event instanceof Event.Sequenced it) {
      String sent =
          "sends sequence %d to %s%s: %s%s"
              .formatted(
                  it.sequence(),
                  it.partition(),
                  it.isRepeat() ? " again" : "",
                  outcome(it.outcome()),
                  because(it.why()));
      return place("producer " + it.producer().producerId(), sent, it.partition(), it.offset());
    }
    if (event instanceof Event.Remnant it) {
      String left =
          "%s@%d to %d: %s, %d records, producer %d, epoch %d"
              .formatted(
                  it.partition(),
                  it.baseOffset(),
                  it.lastOffset(),
                  it.kind().name().toLowerCase(Locale.ROOT),
                  it.recordCount(),
                  it.producer().producerId(),
                  it.producer().epoch());
      return place("broker " + it.broker(), left, it.partition(), it.baseOffset());
    }
    return null;
  }

  private static EventFacts record(
      String transaction, String sentence, @Nullable TopicPartition partition, long offset) {
    TreeSet<String> transactions = new TreeSet<>();
    transactions.add(transaction);
    String who = Transactions.isPlain(transaction) ? Timeline.PLAIN : transaction;
    return new EventFacts(who, sentence, transactions, partition, offset, null);
  }

  private static EventFacts place(
      String who, String sentence, TopicPartition partition, long offset) {
    return new EventFacts(who, sentence, new TreeSet<>(), partition, offset, null);
  }

  private static EventFacts told(String who, String sentence) {
    return new EventFacts(who, sentence, new TreeSet<>(), null, -1, null);
  }

  private EventFacts with(String recordValue) {
    return new EventFacts(who, sentence, transactions, partition, offset, recordValue);
  }

  private static String answer(Event.Sent sent) {
    return sent.outcome() == Outcome.OK
        ? ": ok, at offset " + sent.offset()
        : ": " + outcome(sent.outcome());
  }

  private static String outcome(Outcome outcome) {
    return switch (outcome) {
      case OK -> "ok";
      case FAILED -> "failed";
      case UNKNOWN -> "no answer";
    };
  }

  private static String end(boolean commit) {
    return commit ? "commit" : "abort";
  }

  private static String level(Isolation isolation) {
    return isolation.name().toLowerCase(Locale.ROOT);
  }

  private static String because(String why) {
    return why.isEmpty() ? "" : " (" + why + ")";
  }
}
