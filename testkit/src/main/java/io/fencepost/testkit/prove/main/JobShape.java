package io.fencepost.testkit.prove.main;

import io.fencepost.streams.Job;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What a proof has to know of a job before it runs.
 *
 * @param outputs where the job writes, dead letters too
 */
public record JobShape(String name, List<String> inputs, List<String> outputs) {
  private static final long PATIENCE_SECONDS = 60;

  public JobShape {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
  }

  static JobShape of(Job job) {
    List<String> outputs = new ArrayList<>(job.sinkTopics());
    String dead = job.deadLetterTopic();
    if (dead != null && !outputs.contains(dead)) {
      outputs.add(dead);
    }
    return new JobShape(job.name(), job.sourceTopics(), outputs);
  }

  /**
   * Asks a process of its own, since what defines a job may exit, or never return.
   *
   * @param jobClass as {@link Subject#jobClass}
   * @throws IllegalArgumentException saying why the class defines no job
   */
  public static JobShape of(String jobClass, String classPath) {
    CompletableFuture<JobShape> told = new CompletableFuture<>();
    HostedJob host = HostedJob.launch(classPath, ProcessBuilder.Redirect.INHERIT);
    try {
      host.describe(jobClass, new Ear(told));
      return told.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IllegalArgumentException(
          String.valueOf(Objects.requireNonNull(e.getCause()).getMessage()), e);
    } catch (TimeoutException e) {
      throw new IllegalArgumentException(
          "class %s has not defined its job within %d s".formatted(jobClass, PATIENCE_SECONDS), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a job was defined", e);
    } finally {
      host.kill();
    }
  }

  /** Hears a shape, or why there is none. */
  private record Ear(CompletableFuture<JobShape> told) implements HostedJob.Listener {
    @Override
    public void described(JobShape shape) {
      told.complete(shape);
    }

    @Override
    public void ended(boolean isClean, String detail) {
      told.completeExceptionally(new IllegalArgumentException(detail));
    }

    @Override
    public void committed(long records) {}

    @Override
    public void failed(String worker, String failure, String exception) {}

    @Override
    public @Nullable String step(String point, String worker, String topic, int partition) {
      return null;
    }
  }
}
