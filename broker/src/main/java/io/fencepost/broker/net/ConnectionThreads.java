package io.fencepost.broker.net;

import java.lang.reflect.Method;
import java.util.concurrent.ThreadFactory;

/**
 * Virtual threads where the JVM has good ones (from 24 on, where a monitor does not pin them), else
 * platform threads with small stacks.
 */
final class ConnectionThreads {
  private static final int STACK_BYTES = 256 * 1024;
  private static final int FIRST_GOOD_VERSION = 24;

  private ConnectionThreads() {}

  static ThreadFactory factory(String name) {
    if (Runtime.version().feature() >= FIRST_GOOD_VERSION) {
      try {
        Method ofVirtual = Thread.class.getMethod("ofVirtual");
        Class<?> builder = Class.forName("java.lang.Thread$Builder");
        Object named =
            builder
                .getMethod("name", String.class, long.class)
                .invoke(ofVirtual.invoke(null), name + "-", 0L);
        return (ThreadFactory) builder.getMethod("factory").invoke(named);
      } catch (ReflectiveOperationException notHere) {
        return platform(name);
      }
    }
    return platform(name);
  }

  private static ThreadFactory platform(String name) {
    return task -> {
      Thread thread = new Thread(null, task, name, STACK_BYTES);
      thread.setDaemon(true);
      return thread;
    };
  }
}
