package io.fencepost.testkit.prove.main;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Processes without a job. One that has done its work takes the next; so that a kill costs no
 * start, another is always on its way.
 */
final class HostPool implements AutoCloseable {
  private final String classPath;
  private final ProcessBuilder.Redirect prints;
  private final int spares;
  private final Deque<HostedJob> free = new ArrayDeque<>();
  private boolean isClosed;

  HostPool(String classPath, Path log, int spares) {
    this.classPath = classPath;
    this.prints = ProcessBuilder.Redirect.appendTo(log.toFile());
    this.spares = spares;
    refill();
  }

  private synchronized void refill() {
    while (free.size() < spares && !isClosed) {
      free.addLast(HostedJob.launch(classPath, prints));
    }
  }

  synchronized HostedJob take() {
    HostedJob host = free.pollFirst();
    while (host != null && !host.isAlive()) {
      host = free.pollFirst();
    }
    HostedJob taken = host == null ? HostedJob.launch(classPath, prints) : host;
    refill();
    return taken;
  }

  synchronized void giveBack(HostedJob host) {
    host.release();
    if (isClosed || !host.isAlive()) {
      host.kill();
    } else {
      free.addFirst(host); // the warmest first
    }
    while (free.size() > spares + 2) {
      free.removeLast().kill();
    }
  }

  @Override
  public synchronized void close() {
    isClosed = true;
    free.forEach(HostedJob::kill);
    free.clear();
  }
}
