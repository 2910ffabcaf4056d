package io.fencepost.testkit.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** On a Producer, Consumer or Admin parameter: settings of that client, before any others. */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface Settings {
  /** Each {@code "name=value"}: {@code "transactional.id=payments-1"}. */
  String[] value();
}
