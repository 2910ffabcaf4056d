package io.fencepost.testkit.prove;

import io.fencepost.testkit.history.Event.Isolation;
import io.fencepost.testkit.sim.Scene;
import io.fencepost.testkit.sim.Writer;

/** What happens before a mutant shows. */
final class Stories {
  private static final String ID = "payments";
  private static final String GROUP = "tellers";

  /** One more than there are epochs. */
  private static final int EPOCHS = 32_768;

  private Stories() {}

  static void tell(Mutant mutant, Scene scene) {
    switch (mutant) {
      case END_TXN_IGNORES_EPOCH -> zombie(scene);
      case MARKER_RETRY_REFUSED, SEQUENCES_LOST_AT_RESTART -> twoTransactions(scene);
      case EPOCH_OVERFLOW -> manyEpochs(scene);
      case ABORTED_LIST_CUT_SHORT -> twoAbortsInOneRange(scene);
      case READ_PAST_STABLE_OFFSET -> readerOfOpenTransaction(scene);
      case OPEN_FORGOTTEN_AT_FAILOVER -> nobodyEnds(scene);
      case ABORT_BY_PRODUCER_ID_ALONE -> lateAbort(scene);
      case STABLE_OFFSET_BACK_AFTER_LEADER_CHANGE -> leaderCutOff(scene);
      case GENERATION_UNCHECKED -> memberGivenUp(scene);
      case BATCH_DROPPED_MID_FETCH -> readerOfBatch(scene);
      case JOINED_WHILE_COMPLETING -> lateBatch(scene);
      case SYNC_SKIPPED -> oneTransaction(scene);
      case MARKER_BEFORE_PREPARE -> successorAfterDoubtfulEnd(scene);
      case OFFSETS_OUTSIDE_TRANSACTION, ABORTED_STATE_KEPT ->
          throw new IllegalStateException(mutant.label() + " is told by a job");
    }
  }

  private static Writer writer(Scene scene) {
    return scene.writer("job-1", ID);
  }

  /** By the older protocol, where a transaction may go on after a part of it was committed. */
  private static void zombie(Scene scene) {
    Writer first = scene.oldWriter("job-1", ID);
    Writer second = scene.oldWriter("job-2", ID);
    first.init().send(0, 1).meanwhile(() -> second.init().send(0, 1)).end(true);
    second.send(1, 1).end(false).send(0, 1).send(1, 1).end(true);
  }

  private static void oneTransaction(Scene scene) {
    writer(scene).init().send(0, 1).send(0, 1).end(true);
    scene.runFor(1_000);
    scene.writer("job-2", "refunds").init().send(0, 3).end(true);
  }

  private static void twoTransactions(Scene scene) {
    writer(scene).init().send(0, 1).send(0, 1).end(true).send(0, 1).end(true);
  }

  private static void manyEpochs(Scene scene) {
    Writer writer = writer(scene).init();
    writer.renew(EPOCHS);
    writer.send(0, 1).end(true);
  }

  private static void twoAbortsInOneRange(Scene scene) {
    Writer first = writer(scene);
    Writer second = scene.writer("job-2", "refunds");
    Writer third = scene.writer("job-3", "fees");
    first.init().send(0, 1);
    second.init().send(0, 1);
    third.init().send(0, 1).end(true);
    first.end(true).init();
    second.end(true).init();
    scene.read("reader", Isolation.READ_COMMITTED, 0);
  }

  private static void readerOfOpenTransaction(Scene scene) {
    writer(scene)
        .init()
        .send(0, 2)
        .meanwhile(() -> scene.read("reader", Isolation.READ_COMMITTED, 0))
        .end(true);
  }

  private static void nobodyEnds(Scene scene) {
    writer(scene).init().send(0, 1).end(true);
    scene.flushTables();
    scene.writer("job-2", "refunds").init().send(1, 1).end(true);
  }

  private static void lateAbort(Scene scene) {
    Writer writer = writer(scene).init();
    Runnable abort = writer.aborter(0);
    writer.meanwhile(abort);
    writer.send(0, 1).end(true).send(0, 1).send(0, 1).end(true);
  }

  private static void leaderCutOff(Scene scene) {
    Writer writer = writer(scene).init().send(0, 1);
    scene.runFor(1_000);
    writer.endSoon(true);
    for (int i = 0; i < 100; i++) {
      scene.runFor(50);
      scene.read("reader", Isolation.READ_COMMITTED, 0);
    }
  }

  private static void memberGivenUp(Scene scene) {
    Writer writer = writer(scene).init().join(GROUP);
    writer.send(0, 1).stageAsMember(GROUP, 1).end(true);
    writer.meanwhile(writer::beGivenUp).stageAsMember(GROUP, 2);
  }

  private static void readerOfBatch(Scene scene) {
    writer(scene).init().send(0, 3).end(true);
    scene.read("reader", Isolation.READ_COMMITTED, 0);
  }

  private static void lateBatch(Scene scene) {
    Writer writer = writer(scene).init().send(0, 1);
    writer.endSoon(true);
    scene.runFor(20);
    writer.arriveLate(1);
    scene.runFor(5_000);
  }

  private static void successorAfterDoubtfulEnd(Scene scene) {
    writer(scene).init().send(0, 1).endSoon(true);
    scene.runFor(200);
    scene.writer("job-2", ID).init().send(0, 1).end(true);
  }
}
