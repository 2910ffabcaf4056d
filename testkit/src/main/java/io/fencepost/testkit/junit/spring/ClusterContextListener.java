package io.fencepost.testkit.junit.spring;

import org.springframework.core.Ordered;
import org.springframework.test.annotation.DirtiesContext.HierarchyMode;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/** Closes the context of a class with its cluster: nobody else can use it any more. */
public final class ClusterContextListener implements TestExecutionListener, Ordered {
  /** For Spring. */
  public ClusterContextListener() {}

  /** First before a test, and so last after it. */
  @Override
  public int getOrder() {
    return Ordered.HIGHEST_PRECEDENCE;
  }

  @Override
  public void afterTestClass(TestContext testContext) {
    Class<?> testClass = testContext.getTestClass();
    if (testClass.equals(ClusterCustomizerFactory.owner(testClass))
        && testContext.hasApplicationContext()) {
      testContext.markApplicationContextDirty(HierarchyMode.CURRENT_LEVEL);
    }
  }
}
