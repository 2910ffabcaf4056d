package io.fencepost.testkit.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Starts a Kafka-speaking cluster in this JVM: on a class one for all its tests (those of nested
 * classes too), on a method one for that method. Each has free ports and a temporary directory of
 * its own, so that tests may run in parallel; it is closed when they are done, failed or not.
 *
 * <pre>{@code
 * @Fencepost(topics = "payments", partitions = 3)
 * class PaymentsTest {
 *   @Test
 *   void pays(Producer<String, String> producer, @ReadCommitted("payments") Consumer<String, String> reader) {}
 * }
 * }</pre>
 *
 * <p>Parameters of constructors, tests and {@code @Before...} methods may be {@link TestCluster},
 * {@code FencepostCluster}, a {@link BootstrapServers} String, and kafka-clients' {@code Producer},
 * {@code Consumer} and {@code Admin}, of the version on the class path. Clients are closed after
 * the test that they were made for.
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(FencepostExtension.class)
public @interface Fencepost {
  /** How many brokers; with three or more, topics have three replicas. */
  int brokers() default 1;

  /** Topics that are there from the start: {@code "payments"}, or {@code "payments:6"} for six. */
  String[] topics() default {};

  /** How many partitions a topic has that does not say it, also one that is created by use. */
  int partitions() default 1;

  /** Broker settings under Kafka's names: {@code "log.retention.ms=1000"}. */
  String[] settings() default {};

  /**
   * The name under which the application under test looks for its bootstrap servers. In a Spring
   * test it becomes a property of the test's context ({@code "spring.kafka.bootstrap-servers"}),
   * else a system property while the cluster runs, which only one test at a time can have.
   */
  String bootstrapProperty() default "";
}
