package io.fencepost.testkit.junit.spring;

import io.fencepost.testkit.junit.Fencepost;
import io.fencepost.testkit.junit.RunningCluster;
import java.util.Map;
import org.springframework.beans.factory.support.DefaultSingletonBeanRegistry;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Sets the property in the context of one test class, which shares its context with no other, and
 * keeps the cluster until that context is closed.
 *
 * @param owner the class with the annotation
 */
record ClusterCustomizer(Class<?> owner, Fencepost annotation) implements ContextCustomizer {
  @Override
  public void customizeContext(
      ConfigurableApplicationContext context, MergedContextConfiguration mergedConfig) {
    RunningCluster cluster = RunningCluster.hold(owner);
    context
        .getEnvironment()
        .getPropertySources()
        .addFirst(
            new MapPropertySource(
                "fencepost", Map.of(annotation.bootstrapProperty(), cluster.bootstrapServers())));
    // Beans are destroyed when the context is closed, and when it could not be made.
    if (context.getBeanFactory() instanceof DefaultSingletonBeanRegistry beans) {
      beans.registerDisposableBean("fencepost", cluster::release);
    }
  }
}
