package io.fencepost.testkit.junit;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * The cluster of one annotation. It closes when everybody that holds it has let go: the extension
 * and, in Spring tests, the application context. Thread-safe.
 */
public final class RunningCluster implements AutoCloseable {
  private static final String SPRING_EXTENSION =
      "org.springframework.test.context.junit.jupiter.SpringExtension";
  private static final String ANY_CLIENT = "org.apache.kafka.clients.consumer.KafkaConsumer";
  private static final ConcurrentMap<Class<?>, RunningCluster> BY_CLASS = new ConcurrentHashMap<>();
  private static final ConcurrentMap<String, String> PROPERTY_OWNERS = new ConcurrentHashMap<>();

  private final TestCluster cluster;
  private final Class<?> testClass;
  private final String property;
  private final @Nullable String propertyBefore;
  private final long startedMs = System.currentTimeMillis();
  private final AtomicInteger holders = new AtomicInteger(1);
  private boolean isLetGo;

  private RunningCluster(TestCluster cluster, Class<?> testClass, String property) {
    this.cluster = cluster;
    this.testClass = testClass;
    this.property = property;
    this.propertyBefore = property.isEmpty() ? null : System.getProperty(property);
  }

  static RunningCluster start(Fencepost annotation, ExtensionContext context) {
    Class<?> testClass = context.getRequiredTestClass();
    requireClients(testClass);
    String property = annotation.bootstrapProperty();
    boolean isSpring = isSpring(testClass);
    boolean isOnMethod = context.getTestMethod().isPresent();
    if (isSpring && isOnMethod && !property.isEmpty()) {
      throw new ExtensionConfigurationException(
          ("@Fencepost(bootstrapProperty = \"%s\") on method %s: Spring makes its context for the"
                  + " class, before there is a cluster of the method; put it on %s")
              .formatted(property, context.getDisplayName(), testClass.getSimpleName()));
    }
    String systemProperty = isSpring ? "" : property;
    if (!systemProperty.isEmpty()) {
      String other = PROPERTY_OWNERS.putIfAbsent(systemProperty, testClass.getName());
      if (other != null) {
        throw new ExtensionConfigurationException(
            ("system property %s is that of %s, which runs at the same time as %s: run one after"
                    + " the other with @ResourceLock(\"%s\"), or take a @BootstrapServers String"
                    + " parameter")
                .formatted(systemProperty, other, testClass.getName(), systemProperty));
      }
    }
    TestCluster cluster = null;
    try {
      cluster = TestCluster.start(annotation);
      RunningCluster running = new RunningCluster(cluster, testClass, systemProperty);
      if (!systemProperty.isEmpty()) {
        System.setProperty(systemProperty, cluster.bootstrapServers());
      }
      if (!isOnMethod) {
        BY_CLASS.put(testClass, running);
      }
      return running;
    } finally {
      if (cluster == null && !systemProperty.isEmpty()) {
        PROPERTY_OWNERS.remove(systemProperty);
      }
    }
  }

  /**
   * The cluster of a test class now, held until {@link #release}.
   *
   * @throws IllegalStateException if there is none
   */
  public static RunningCluster hold(Class<?> testClass) {
    RunningCluster running = BY_CLASS.get(testClass);
    if (running == null) {
      throw new IllegalStateException(
          "the cluster of @Fencepost on " + testClass.getName() + " does not run");
    }
    running.holders.incrementAndGet();
    return running;
  }

  /** What clients connect to. */
  public String bootstrapServers() {
    return cluster.bootstrapServers();
  }

  /** Before this there was nothing in it. */
  long startedMs() {
    return startedMs;
  }

  TestCluster cluster() {
    return cluster;
  }

  /** The last one to let go closes it. */
  public void release() {
    if (holders.decrementAndGet() == 0) {
      cluster.close();
    }
  }

  /** The extension lets go. */
  @Override
  public synchronized void close() {
    if (isLetGo) {
      return;
    }
    isLetGo = true;
    BY_CLASS.remove(testClass, this);
    if (!property.isEmpty()) {
      if (propertyBefore == null) {
        System.clearProperty(property);
      } else {
        System.setProperty(property, propertyBefore);
      }
      PROPERTY_OWNERS.remove(property);
    }
    release();
  }

  private static void requireClients(Class<?> testClass) {
    try {
      Class.forName(ANY_CLIENT, false, testClass.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new ExtensionConfigurationException(
          "@Fencepost on "
              + testClass.getName()
              + " needs org.apache.kafka:kafka-clients on the class path, in the version that you"
              + " use: 2.8 or newer",
          e);
    }
  }

  private static boolean isSpring(Class<?> testClass) {
    for (Class<?> at = testClass; at != null; at = at.getEnclosingClass()) {
      for (ExtendWith extension :
          AnnotationSupport.findRepeatableAnnotations(at, ExtendWith.class)) {
        for (Class<?> type : extension.value()) {
          if (type.getName().equals(SPRING_EXTENSION)) {
            return true;
          }
        }
      }
    }
    return false;
  }
}
