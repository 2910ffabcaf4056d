package io.fencepost.testkit.tools;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The child process of {@link Tools}: runs the main methods of Kafka's tools one after another, so
 * that a JVM starts only once. Each call comes by stdin as class, arguments and input, and is
 * answered on stdout by what was printed (both streams) and the exit code. Knows the JDK only; its
 * class path is Kafka's.
 */
final class ToolMain {
  private static final String EXIT = "org.apache.kafka.common.utils.internals.Exit";
  private static final int RUNS = -1;

  private final Console console = new Console();
  private final PrintStream print = new PrintStream(console, true, StandardCharsets.UTF_8);

  /** The first exit code counts: some tools catch what {@link Ended} is, and exit once more. */
  private volatile int exitCode = RUNS;

  private ToolMain() {}

  /** Leaves a tool where it would end the process. */
  private static final class Ended extends Error {
    private static final long serialVersionUID = 1;

    private Ended(int code) {
      super("exit " + code, null, false, false);
    }
  }

  /** Where a tool prints to, also one that remembered System.out from an earlier call. */
  private static final class Console extends OutputStream {
    private ByteArrayOutputStream text = new ByteArrayOutputStream();
    private boolean muted;

    @Override
    public synchronized void write(int b) {
      if (!muted) {
        text.write(b);
      }
    }

    @Override
    public synchronized void write(byte[] bytes, int start, int length) {
      if (!muted) {
        text.write(bytes, start, length);
      }
    }

    /** The process would be gone by now. */
    private synchronized void mute() {
      muted = true;
    }

    private synchronized byte[] take() {
      byte[] bytes = text.toByteArray();
      text = new ByteArrayOutputStream();
      muted = false;
      return bytes;
    }
  }

  public static void main(String[] nothing) throws Exception {
    new ToolMain().serve(new DataInputStream(System.in), new DataOutputStream(System.out));
  }

  private void serve(DataInputStream in, DataOutputStream out)
      throws IOException, ReflectiveOperationException {
    System.setOut(print);
    System.setErr(print);
    catchExits();
    while (true) {
      String[] words;
      try {
        words = new String[in.readInt()];
      } catch (EOFException parentIsGone) {
        return;
      }
      for (int i = 0; i < words.length; i++) {
        words[i] = in.readUTF();
      }
      System.setIn(new ByteArrayInputStream(in.readUTF().getBytes(StandardCharsets.UTF_8)));
      exitCode = RUNS;
      int code = run(words[0], Arrays.copyOfRange(words, 1, words.length));
      byte[] text = console.take();
      out.writeInt(exitCode == RUNS ? code : exitCode);
      out.writeInt(text.length);
      out.write(text);
      out.flush();
    }
  }

  private int run(String tool, String[] arguments) {
    try {
      Class.forName(tool).getMethod("main", String[].class).invoke(null, (Object) arguments);
      return 0;
    } catch (InvocationTargetException failed) {
      // As the JVM does when main throws.
      print.println("Exception in thread \"main\" " + failed.getCause());
      return 1;
    } catch (ReflectiveOperationException missing) {
      print.println(missing);
      return 127;
    }
  }

  private void end(int code) {
    if (exitCode == RUNS) {
      exitCode = code;
      print.flush();
      console.mute();
    }
    throw new Ended(code);
  }

  private void catchExits() throws ReflectiveOperationException {
    Class<?> exit = Class.forName(EXIT);
    Class<?> procedure = Class.forName(EXIT + "$Procedure");
    Object ender =
        Proxy.newProxyInstance(
            procedure.getClassLoader(),
            new Class<?>[] {procedure},
            (proxy, method, values) -> {
              end((Integer) values[0]);
              return null;
            });
    exit.getMethod("setExitProcedure", procedure).invoke(null, ender);
    exit.getMethod("setHaltProcedure", procedure).invoke(null, ender);
    Class<?> adder = Class.forName(EXIT + "$ShutdownHookAdder");
    Object ignorer =
        Proxy.newProxyInstance(
            adder.getClassLoader(), new Class<?>[] {adder}, (proxy, method, values) -> null);
    exit.getMethod("setShutdownHookAdder", adder).invoke(null, ignorer);
  }
}
