package io.fencepost.testkit.history;

import io.fencepost.testkit.history.Event.Watermarks;
import java.util.List;
import java.util.TreeMap;

/** L3: last stable offset ≤ high watermark, and no reader ever sees one of them move back. */
public final class WatermarkOrder implements Check {
  @Override
  public String id() {
    return "L3";
  }

  @Override
  public List<Class<? extends Event>> needs() {
    return List.of(Watermarks.class);
  }

  @Override
  public String occasions() {
    return "fetch answers after another one of the partition";
  }

  @Override
  public Verdict check(History history) {
    TreeMap<String, Watermarks> last = new TreeMap<>();
    long occasions = 0;
    for (Watermarks now : history.all(Watermarks.class)) {
      if (now.lastStableOffset() > now.highWatermark()) {
        return Verdict.broken("the last stable offset is above the high watermark", now);
      }
      Watermarks before = last.put(now.reader() + " " + now.partition(), now);
      if (before == null) {
        continue;
      }
      occasions++;
      if (now.lastStableOffset() < before.lastStableOffset()
          || now.highWatermark() < before.highWatermark()) {
        return Verdict.broken("one of them moved back", before, now);
      }
    }
    return Verdict.passed(occasions);
  }
}
