package io.fencepost.streams;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.fencepost.streams.testing.JobRule;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.NullMarked;

/**
 * The walls of this module. Kafka's value types (serdes, headers, topic partitions, records,
 * errors, names of settings) may appear anywhere; what talks to a broker only in the shells {@code
 * client} and {@code jdbc}.
 */
@AnalyzeClasses(
    packages = "io.fencepost.streams",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  private static final DescribedPredicate<JavaClass> PURE =
      not(resideInAnyPackage(
              "io.fencepost.streams.rocks..",
              "io.fencepost.streams.client..",
              "io.fencepost.streams.jdbc..",
              "io.fencepost.streams.main.."))
          .as("are outside the shells");

  @ArchTest
  static final ArchRule the_pure_touch_no_outside_world =
      noClasses()
          .that(PURE)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "java.io..",
              "java.net..",
              "java.nio.file..",
              "java.nio.channels..",
              "java.util.concurrent..",
              "org.rocksdb..",
              "org.slf4j..");

  @ArchTest
  static final ArchRule the_pure_never_hold_a_client =
      noClasses()
          .that(PURE)
          .should()
          .dependOnClassesThat()
          .haveNameMatching(
              "org\\.apache\\.kafka\\.clients\\..*\\.(Kafka|Mock)?(Producer|Consumer|Admin|AdminClient)");

  @ArchTest
  static final ArchRule kafka_s_internals_and_the_broker_are_unknown =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.apache.kafka..internals..", "io.fencepost.broker..", "io.fencepost.txn..");

  @ArchTest
  static final ArchRule only_the_meters_need_micrometer =
      noClasses()
          .that()
          .haveSimpleNameNotStartingWith("JobMeters")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.micrometer..")
          .orShould()
          .dependOnClassesThat()
          .haveSimpleName("JobMeters");

  @ArchTest
  static final ArchRule the_pure_read_no_ambient_time_or_chance =
      noClasses()
          .that(PURE)
          .should()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethod(UUID.class, "randomUUID")
          .orShould()
          .callMethod(Math.class, "random")
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(Random.class)
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(Thread.class);

  /** Two runs of one seed must walk every collection in the same order. */
  @ArchTest
  static final ArchRule the_pure_keep_no_salted_order =
      noClasses()
          .that(PURE)
          .should()
          .dependOnClassesThat()
          .belongToAnyOf(HashMap.class, HashSet.class, IdentityHashMap.class)
          .orShould()
          .callMethodWhere(saltedFactory());

  /** {@link Job#start} is the one door from the definition of a job to its threads. */
  @ArchTest
  static final ArchRule the_pure_never_look_at_shells =
      noClasses()
          .that(PURE)
          .and()
          .doNotHaveFullyQualifiedName(Job.class.getName())
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.fencepost.streams.rocks..",
              "io.fencepost.streams.client..",
              "io.fencepost.streams.jdbc..",
              "io.fencepost.streams.main..");

  /** A sink is another way to use the public API, and its database nobody else's business. */
  @ArchTest
  static final ArchRule only_the_sink_knows_databases =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.fencepost.streams.jdbc..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.sql..", "javax.sql..");

  @ArchTest
  static final ArchRule only_one_class_looks_at_exceptions =
      noClasses()
          .that(PURE)
          .and()
          .haveSimpleNameNotStartingWith("FailureClass")
          .and()
          .haveSimpleNameNotStartingWith("Pipeline")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.kafka.common.errors..");

  /** Only a test breaks a rule. */
  @ArchTest
  static final ArchRule nobody_switches_a_rule_off =
      noClasses().should().callMethod(JobRule.class, "without", Runnable.class);

  @ArchTest
  static final ArchRule packages_have_no_cycles =
      slices().matching("io.fencepost.streams.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule every_package_is_null_marked =
      classes().that().haveSimpleName("package-info").should().beAnnotatedWith(NullMarked.class);

  private static DescribedPredicate<JavaCall<?>> saltedFactory() {
    return DescribedPredicate.describe(
        "is Set.of, Map.of or a copy by them",
        call ->
            (call.getTargetOwner().isEquivalentTo(Set.class)
                    || call.getTargetOwner().isEquivalentTo(Map.class))
                && call.getName().matches("of|ofEntries|copyOf"));
  }
}
