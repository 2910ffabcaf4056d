package io.fencepost.testkit.prove.main;

import io.fencepost.streams.Job;
import io.fencepost.streams.JobConfig;
import io.fencepost.streams.JobEnd;
import io.fencepost.streams.JobHandle;
import io.fencepost.streams.JobObserver;
import io.fencepost.streams.main.JobRunner;
import io.fencepost.streams.task.JobSteps;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * The process of a job under proof: takes orders from its standard input, and asks at each step
 * that is watched what to do there. It can be killed and stopped as any process.
 */
public final class JobHost implements JobSteps {
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

  private final PrintStream out;
  private final String classPath;
  private final ConcurrentHashMap<Long, CompletableFuture<String>> asked =
      new ConcurrentHashMap<>();
  private final AtomicLong questions = new AtomicLong();
  private volatile Set<String> watched = Set.of();
  private volatile @Nullable JobHandle handle;

  /** It may come while the job still starts. */
  private volatile boolean isStopAsked;

  private JobHost(PrintStream out, String classPath) {
    this.out = out;
    this.classPath = classPath;
  }

  /** Arguments: the class path of the job. */
  public static void main(String[] args) throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    InputStream in = System.in;
    System.setOut(System.err); // what the job prints is no message
    System.setIn(InputStream.nullInputStream()); // nor does it read any
    new JobHost(out, args[0]).obey(in);
    Runtime.getRuntime().halt(0); // the proof is gone: the job's shutdown hooks keep nobody here
  }

  private void obey(InputStream orders) throws IOException {
    BufferedReader in = new BufferedReader(new InputStreamReader(orders, StandardCharsets.UTF_8));
    say("ready");
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      List<String> words = Wording.words(line);
      switch (words.get(0)) {
        case "start" -> {
          handle = null;
          isStopAsked = false;
          new Thread(() -> tellFailure(() -> start(words)), "start").start();
        }
        case "describe" ->
            new Thread(() -> tellFailure(() -> describe(words.get(1))), "describe").start();
        case "stop" -> new Thread(this::stop, "stop").start();
        case "go" -> {
          CompletableFuture<String> question = asked.remove(Long.valueOf(words.get(1)));
          if (question != null) {
            question.complete(words.get(2));
          }
        }
        default -> throw new IllegalStateException("no such order: " + line);
      }
    }
  }

  private void say(Object... words) {
    synchronized (out) {
      out.println(Wording.line(words));
    }
  }

  /** {@code start CLASS WATCHED-STEPS KEY VALUE...} */
  private void start(List<String> words) {
    watched = new HashSet<>(List.of(words.get(2).split(",")));
    Map<String, Object> settings = new HashMap<>();
    for (int i = 3; i + 1 < words.size(); i += 2) {
      settings.put(words.get(i), words.get(i + 1));
    }
    JobHandle started = JobRunner.start(define(words.get(1)), JobConfig.of(settings), this);
    started.observe(observer());
    handle = started;
    if (isStopAsked) {
      started.stop(STOP_TIMEOUT);
    }
    try {
      JobEnd end = started.await();
      say("ended", end.isClean(), end.reason() + ": " + end.detail());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void describe(String jobClass) {
    JobShape shape = JobShape.of(define(jobClass));
    List<Object> words = new ArrayList<>(List.of("described", shape.name()));
    words.add(shape.inputs().size());
    words.addAll(shape.inputs());
    words.addAll(shape.outputs());
    say(words.toArray());
  }

  private Job define(String jobClass) {
    ClassLoader loader = loader(classPath);
    Thread.currentThread().setContextClassLoader(loader);
    return define(jobClass, loader);
  }

  private void tellFailure(Runnable order) {
    try {
      order.run();
    } catch (RuntimeException e) {
      say("ended", false, String.valueOf(e.getMessage() == null ? e : e.getMessage()));
    } catch (Error e) {
      say("ended", false, String.valueOf(e)); // the message alone may be no more than a name
    }
  }

  private void stop() {
    isStopAsked = true;
    JobHandle running = handle;
    if (running != null) {
      running.stop(STOP_TIMEOUT);
    }
  }

  private JobObserver observer() {
    return new JobObserver() {
      @Override
      public void committed(String worker, long nanos, long records, long bytes) {
        say("committed", records);
      }

      @Override
      public void failed(String worker, String failure, String exception) {
        say("failed", worker, failure, exception);
      }
    };
  }

  /**
   * Loads the classes there anew, whoever has loaded them before, so that each start finds its
   * static variables as a new process would.
   *
   * @throws IllegalArgumentException if an entry is no path
   */
  static ClassLoader loader(String classPath) {
    List<URL> urls = new ArrayList<>();
    for (String entry : classPath.split(File.pathSeparator, -1)) {
      try {
        if (!entry.isEmpty()) {
          urls.add(Path.of(entry).toUri().toURL());
        }
      } catch (MalformedURLException e) {
        throw new IllegalArgumentException("class path: '" + entry + "' is no path", e);
      }
    }
    return new URLClassLoader(urls.toArray(new URL[0]), JobHost.class.getClassLoader());
  }

  /**
   * The job that a class defines by a public static method without parameters.
   *
   * @throws IllegalArgumentException saying what the class lacks
   */
  static Job define(String className, ClassLoader loader) {
    Class<?> type;
    try {
      type = Class.forName(className, true, loader);
    } catch (ClassNotFoundException e) {
      throw new IllegalArgumentException(
          "there is no class " + className + " on the class path; add it with --classpath", e);
    } catch (LinkageError e) {
      throw new IllegalArgumentException(
          "class " + className + " cannot be loaded: " + cause(e), e);
    }
    List<Method> methods = new ArrayList<>();
    for (Method method : type.getMethods()) {
      if (Modifier.isStatic(method.getModifiers())
          && method.getParameterCount() == 0
          && method.getReturnType() == Job.class) {
        methods.add(method);
      }
    }
    if (methods.size() != 1) {
      throw new IllegalArgumentException(
          "class "
              + className
              + " has "
              + methods.size()
              + " public static methods without parameters that return a Job; it needs one");
    }
    try {
      methods.get(0).setAccessible(true); // the class itself may be package-private
      Job job = (Job) methods.get(0).invoke(null);
      if (job == null) {
        throw new IllegalArgumentException(
            className + "." + methods.get(0).getName() + "() returned null instead of a job");
      }
      return job;
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new IllegalArgumentException(
          className + "." + methods.get(0).getName() + "() failed: " + cause(e), e);
    }
  }

  /** Of what wraps another, that other. */
  private static Throwable cause(Throwable thrown) {
    Throwable cause = thrown.getCause();
    return cause == null ? thrown : cause;
  }

  /** Waits for the answer, which does not come to a process that is killed here. */
  @Override
  public void pass(Step step, String worker, @Nullable TopicPartition about) {
    String name = JobPoints.name(step);
    if (!watched.contains(name)) {
      return;
    }
    long question = questions.incrementAndGet();
    CompletableFuture<String> answer = new CompletableFuture<>();
    asked.put(question, answer);
    say(
        "step",
        question,
        name,
        worker,
        about == null ? "" : about.topic(),
        about == null ? -1 : about.partition());
    try {
      if (answer.get().equals("fail")) {
        throw JobPoints.failure(step);
      }
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }
}
