package io.fencepost.testkit.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** On a Consumer parameter: it reads everything from the start, also what is open or aborted. */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface ReadUncommitted {
  /** The topics it is subscribed to. */
  String[] value() default {};

  /** Its consumer group; empty for one of its own. */
  String group() default "";
}
