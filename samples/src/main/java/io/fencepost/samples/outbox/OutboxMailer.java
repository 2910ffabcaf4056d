package io.fencepost.samples.outbox;

import io.fencepost.streams.Job;
import io.fencepost.streams.JobEnd;
import io.fencepost.streams.JobHandle;
import java.net.URI;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;

/**
 * Sends a mail for each event of the outbox topic. What the relay published twice is dropped by its
 * key; what is sent again after an abort carries the same effect key, and the mail server drops
 * that. A mail that the server refuses is a dead letter; while the server is away, the job waits.
 */
public final class OutboxMailer {
  /** Longer than a relay may be down between publishing a row and deleting it. */
  private static final Duration RETENTION = Duration.ofDays(7);

  private OutboxMailer() {}

  /** Arguments: bootstrap servers, the mail server's address. */
  public static void main(String[] arguments) throws InterruptedException {
    Job job = define(URI.create(arguments[1]));
    try (JobHandle handle = job.start("bootstrap.servers", arguments[0])) {
      System.out.println(handle.guarantee());
      JobEnd end = handle.await();
      System.out.println(end.reason() + ": " + end.detail());
    }
  }

  /** The job. */
  public static Job define(URI mailServer) {
    MailServer server = new MailServer(mailServer);
    Serde<String> text = Serdes.String();
    Job job = Job.named("outbox-mailer").deadLetters("outbox-dead-letters");
    job.from(OutboxRelay.TOPIC, text, text)
        .deduplicate("outbox-seen", RETENTION)
        .effect("mail", (key, event) -> server.send(key, event.value()))
        .mapValues(mail -> "sent")
        .to("outbox-done", text, text);
    return job;
  }
}
