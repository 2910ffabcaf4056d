package io.fencepost.txn.main;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.fencepost.broker.port.Meters.Ending;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

class FencepostMetersTest {
  private static final int CALLS = 50_000;
  private static final short PRODUCE = 0;

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final FencepostMeters meters = FencepostMeters.on(registry);

  private void callAll(int times) {
    for (int i = 0; i < times; i++) {
      meters.onRequest(PRODUCE, 1_000);
      meters.onAppend(1_000);
      meters.onForce(1_000);
      meters.onTransactionEnd(Ending.COMMITTED);
    }
  }

  @Test
  void nothing_is_allocated_where_it_is_hot() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    callAll(CALLS);
    long before = threads.getCurrentThreadAllocatedBytes();
    callAll(CALLS);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    // The JVM's own measuring takes a few bytes; one object a call would be near a megabyte.
    assertThat(allocated).isLessThan(CALLS);
    Timer produce = registry.get("fencepost.requests").tag("api", "Produce").timer();
    assertThat(produce.count()).isEqualTo(2 * CALLS);
  }

  @Test
  void a_number_that_is_no_api_is_not_counted() {
    meters.onRequest((short) -1, 5);
    meters.onRequest(Short.MAX_VALUE, 5);
    assertThat(registry.find("fencepost.requests").timers()).isEmpty();
  }
}
