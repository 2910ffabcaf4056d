package io.fencepost.streams;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why a job ended.
 *
 * @param detail one sentence with ids and what to do
 * @param left what could not be finished in time, empty after a clean end
 */
public record JobEnd(
    StopReason reason, String detail, @Nullable Throwable cause, List<String> left) {
  public boolean isClean() {
    return reason == StopReason.STOPPED && left.isEmpty();
  }
}
