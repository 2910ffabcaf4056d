package io.fencepost.testkit.junit.spring;

import io.fencepost.testkit.junit.Fencepost;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;

/** Found by Spring in {@code META-INF/spring.factories}. */
public final class ClusterCustomizerFactory implements ContextCustomizerFactory {
  /** For Spring. */
  public ClusterCustomizerFactory() {}

  @Override
  public @Nullable ContextCustomizer createContextCustomizer(
      Class<?> testClass, List<ContextConfigurationAttributes> configAttributes) {
    Class<?> owner = owner(testClass);
    return owner == null ? null : new ClusterCustomizer(owner, annotation(owner).orElseThrow());
  }

  /** The class with the annotation and its property: this one or one around it. */
  static @Nullable Class<?> owner(Class<?> testClass) {
    for (Class<?> at = testClass; at != null; at = at.getEnclosingClass()) {
      Optional<Fencepost> found = annotation(at);
      if (found.isPresent()) {
        return found.get().bootstrapProperty().isEmpty() ? null : at;
      }
    }
    return null;
  }

  private static Optional<Fencepost> annotation(Class<?> type) {
    return AnnotationSupport.findAnnotation(type, Fencepost.class);
  }
}
