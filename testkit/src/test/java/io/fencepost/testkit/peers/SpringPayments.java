package io.fencepost.testkit.peers;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.NewTopic;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaTemplate;

/** A Spring Boot application that charges payments: reads, writes and commits in transactions. */
@SpringBootConfiguration
@EnableAutoConfiguration
class SpringPayments {
  static final String PAYMENTS = "spring-payments";
  static final String CHARGES = "spring-charges";

  /** The payment that is charged at the second try only. */
  static final String FAILS_ONCE = "fails once";

  private final AtomicBoolean failed = new AtomicBoolean();

  @Bean
  NewTopic payments() {
    return new NewTopic(PAYMENTS, 2, (short) 1);
  }

  @Bean
  NewTopic charges() {
    return new NewTopic(CHARGES, 2, (short) 1);
  }

  @Bean
  Charger charger(KafkaTemplate<String, String> template) {
    return new Charger(template);
  }

  /** Runs in a transaction that its container begins and ends, with the offset of the payment. */
  class Charger {
    private final KafkaTemplate<String, String> template;

    Charger(KafkaTemplate<String, String> template) {
      this.template = template;
    }

    @KafkaListener(topics = PAYMENTS)
    void charge(String payment) {
      template.send(CHARGES, payment, "charged " + payment).join();
      if (payment.equals(FAILS_ONCE) && failed.compareAndSet(false, true)) {
        throw new IllegalStateException("on purpose");
      }
    }
  }
}
