package it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.fencepost.testkit.junit.Fencepost;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

class OnMethodTest {
  @SpringJUnitConfig(OnMethod.Nothing.class)
  static class OnMethod {
    static class Nothing {}

    @Test
    @Fencepost(bootstrapProperty = "spring.kafka.bootstrap-servers")
    void never() {}
  }

  @Test
  void the_property_of_a_method_is_refused_as_the_context_is_that_of_the_class() {
    Throwable failure =
        EngineTestKit.engine("junit-jupiter")
            .selectors(selectClass(OnMethod.class))
            .execute()
            .testEvents()
            .failed()
            .stream()
            .findFirst()
            .orElseThrow()
            .getRequiredPayload(TestExecutionResult.class)
            .getThrowable()
            .orElseThrow();
    assertThat(failure)
        .isInstanceOf(ExtensionConfigurationException.class)
        .hasMessage(
            "@Fencepost(bootstrapProperty = \"spring.kafka.bootstrap-servers\") on method never():"
                + " Spring makes its context for the class, before there is a cluster of the"
                + " method; put it on OnMethod");
  }
}
