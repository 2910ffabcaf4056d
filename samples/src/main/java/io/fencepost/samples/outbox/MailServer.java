package io.fencepost.samples.outbox;

import io.fencepost.streams.EffectKey;
import io.fencepost.streams.TryAgainLater;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** A mail provider's HTTP interface. It takes a request once per Idempotency-Key. */
final class MailServer {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final HttpClient client = HttpClient.newHttpClient();
  private final URI address;

  MailServer(URI address) {
    this.address = address;
  }

  /**
   * Asks it to send a mail.
   *
   * @throws TryAgainLater if it is away or busy
   * @throws IllegalArgumentException if it refuses this mail
   */
  void send(EffectKey key, String mail) throws InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(address)
            .timeout(TIMEOUT)
            .header("Idempotency-Key", key.toString())
            .POST(HttpRequest.BodyPublishers.ofString(mail))
            .build();
    int status;
    try {
      status = client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    } catch (IOException e) {
      // Whether it has the mail is unknown; the same key again cannot make it two.
      throw new TryAgainLater(address + " does not answer", e);
    }
    if (status >= 500 || status == 429) {
      throw new TryAgainLater(address + " answers " + status, null);
    }
    if (status >= 400) {
      throw new IllegalArgumentException(address + " refuses the mail with " + status);
    }
  }
}
