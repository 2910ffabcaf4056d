package io.fencepost.testkit.junit;

import java.lang.reflect.AnnotatedElement;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Starts and stops the cluster of {@link Fencepost}, makes the parameters, and keeps what the
 * cluster held when a test failed.
 */
public final class FencepostExtension
    implements BeforeAllCallback,
        AfterAllCallback,
        BeforeEachCallback,
        AfterEachCallback,
        TestInstancePreConstructCallback,
        ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(FencepostExtension.class);
  private static final String CLUSTER = "cluster";
  private static final String CLIENTS = "clients";

  /** For JUnit. */
  public FencepostExtension() {}

  /** Before Spring makes its context, which happens as soon as there is an instance. */
  @Override
  public void preConstructTestInstance(
      TestInstanceFactoryContext factoryContext, ExtensionContext context) {
    startOfClass(context);
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    startOfClass(context);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    if (annotation(context) != null) {
      start(context);
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    keep(context);
    close(context);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    keep(context);
    close(context);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return Injection.claims(parameter);
  }

  @Override
  public @Nullable Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    if (context.getTestMethod().isPresent() && annotation(context) != null) {
      start(context);
    } else {
      startOfClass(context);
    }
    RunningCluster running = context.getStore(NAMESPACE).get(CLUSTER, RunningCluster.class);
    if (running == null) {
      throw new ExtensionConfigurationException(
          "no cluster runs for parameter "
              + parameter.getParameter()
              + ": @Fencepost on a method starts one when its test begins; put it on the class to"
              + " have one in constructors and @BeforeAll methods");
    }
    Store store = context.getStore(NAMESPACE);
    OpenClients clients = own(context, CLIENTS, OpenClients.class);
    if (clients == null) {
      clients = new OpenClients();
      store.put(key(context, CLIENTS), clients);
    }
    return Injection.of(parameter, running.cluster(), clients);
  }

  /** Where the annotation stands: this class or, for a nested one, one around it. */
  private static void startOfClass(ExtensionContext context) {
    Optional<ExtensionContext> at = Optional.of(context);
    while (at.isPresent()) {
      if (at.get().getTestMethod().isEmpty() && annotation(at.get()) != null) {
        start(at.get());
        return;
      }
      at = at.get().getParent();
    }
  }

  private static void start(ExtensionContext context) {
    Fencepost annotation = annotation(context);
    if (annotation == null || own(context, CLUSTER, RunningCluster.class) != null) {
      return;
    }
    RunningCluster running = RunningCluster.start(annotation, context);
    Store store = context.getStore(NAMESPACE);
    store.put(CLUSTER, running);
    store.put(key(context, CLUSTER), running);
  }

  /** Of a failure, before its clients and its cluster are gone. */
  private static void keep(ExtensionContext context) {
    RunningCluster running = context.getStore(NAMESPACE).get(CLUSTER, RunningCluster.class);
    if (running != null) {
      context.getExecutionException().ifPresent(it -> FailedTest.keep(context, running, it));
    }
  }

  /** Clients first. What is closed stays in the store, as some versions of JUnit close it again. */
  private static void close(ExtensionContext context) {
    OpenClients clients = own(context, CLIENTS, OpenClients.class);
    RunningCluster running = own(context, CLUSTER, RunningCluster.class);
    try {
      if (clients != null) {
        clients.close();
      }
    } finally {
      if (running != null) {
        running.close();
      }
    }
  }

  /** What was put for this very context, not for one around it. */
  private static <T> @Nullable T own(ExtensionContext context, String name, Class<T> type) {
    return context.getStore(NAMESPACE).get(key(context, name), type);
  }

  private static String key(ExtensionContext context, String name) {
    return name + " of " + context.getUniqueId();
  }

  private static @Nullable Fencepost annotation(ExtensionContext context) {
    Optional<AnnotatedElement> element = context.getElement();
    return AnnotationSupport.findAnnotation(element, Fencepost.class).orElse(null);
  }
}
