package io.fencepost.testkit.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Spring Kafka's transactional template and listener, as Spring Boot sets them up. */
interface SpringBehaviour extends Peers {

  @BeforeAll
  static void leaveTheLogsAlone() {
    System.setProperty("org.springframework.boot.logging.LoggingSystem", "none");
  }

  @Test
  default void
      spring_processes_what_a_template_committed_once_though_a_listener_fails_and_is_replaced() {
    try (Records payments = new Records(bootstrap(), SpringPayments.PAYMENTS);
        Records charges = new Records(bootstrap(), SpringPayments.CHARGES)) {
      try (ConfigurableApplicationContext application = start()) {
        KafkaTemplate<String, String> template = template(application);
        template.executeInTransaction(
            operations -> {
              operations.send(SpringPayments.PAYMENTS, "1", "committed").join();
              return operations
                  .send(SpringPayments.PAYMENTS, "2", SpringPayments.FAILS_ONCE)
                  .join();
            });
        assertThatThrownBy(
                () ->
                    template.executeInTransaction(
                        operations -> {
                          operations.send(SpringPayments.PAYMENTS, "1", "aborted").join();
                          throw new IllegalStateException("on purpose");
                        }))
            .hasMessage("on purpose");
        TransactionTemplate transaction =
            new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
        transaction.executeWithoutResult(
            status -> template.send(SpringPayments.PAYMENTS, "1", "managed").join());
        transaction.executeWithoutResult(
            status -> {
              template.send(SpringPayments.PAYMENTS, "1", "rolled back").join();
              status.setRollbackOnly();
            });
        await().atMost(LIMIT).until(() -> charges.all().size() >= 3);
      }
      try (ConfigurableApplicationContext next = start()) {
        template(next)
            .executeInTransaction(
                operations -> operations.send(SpringPayments.PAYMENTS, "1", "later").join());
        await().atMost(LIMIT).until(() -> charges.values().contains("charged later"));
      }
      assertThat(payments.values())
          .containsExactlyInAnyOrder("committed", SpringPayments.FAILS_ONCE, "managed", "later");
      assertThat(charges.values())
          .containsExactlyInAnyOrder(
              "charged committed",
              "charged " + SpringPayments.FAILS_ONCE,
              "charged managed",
              "charged later");
    }
  }

  private ConfigurableApplicationContext start() {
    SpringApplication application = new SpringApplication(SpringPayments.class);
    application.setDefaultProperties(
        Map.of(
            "spring.main.banner-mode", "off",
            "spring.kafka.bootstrap-servers", bootstrap(),
            "spring.kafka.producer.transaction-id-prefix", "payments-",
            "spring.kafka.consumer.group-id", "payments",
            "spring.kafka.consumer.auto-offset-reset", "earliest",
            "spring.kafka.consumer.isolation-level", "read_committed"));
    application.setRegisterShutdownHook(false);
    return application.run();
  }

  @SuppressWarnings("unchecked")
  private static KafkaTemplate<String, String> template(ConfigurableApplicationContext context) {
    return context.getBean(KafkaTemplate.class);
  }
}
