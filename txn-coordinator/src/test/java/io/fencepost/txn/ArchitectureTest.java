package io.fencepost.txn;

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
import io.fencepost.broker.testing.Rule;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.NullMarked;

/** The walls: everything is pure unless its package is one of the named shells. */
@AnalyzeClasses(packages = "io.fencepost.txn", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  private static final String[] SHELLS = {
    "..net..", "..disk..", "..rocks..", "..client..", "..main.."
  };

  private static final DescribedPredicate<JavaClass> PURE =
      not(resideInAnyPackage(SHELLS)).as("are outside the shells");

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
              "io.netty..",
              "org.rocksdb..",
              "org.slf4j..",
              "org.apache.kafka..");

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

  @ArchTest
  static final ArchRule the_pure_never_look_at_shells =
      noClasses().that(PURE).should().dependOnClassesThat().resideInAnyPackage(SHELLS);

  /** Only a test breaks a rule. */
  @ArchTest
  static final ArchRule nobody_switches_a_rule_off =
      noClasses().should().callMethod(Rule.class, "without", Runnable.class);

  @ArchTest
  static final ArchRule packages_have_no_cycles =
      slices().matching("io.fencepost.txn.(*)..").should().beFreeOfCycles().allowEmptyShould(true);

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
