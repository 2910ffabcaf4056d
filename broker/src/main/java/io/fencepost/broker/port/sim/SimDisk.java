package io.fencepost.broker.port.sim;

import io.fencepost.broker.port.AppendFile;
import io.fencepost.broker.port.Content;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.Entropy;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A disk in memory that is as unkind as a real one. It remembers what was forced, and {@link
 * #crash} takes away a seeded part of the rest: appended bytes from some point on, or from the
 * middle of them; overwrites and cuts; created, renamed and deleted names, in any order. Inside
 * forced content it harms nothing, except when {@link #corrupt} says so. Single-threaded.
 */
public final class SimDisk implements Disk {
  private final Entropy entropy;
  private SimTree.Directory root = new SimTree.Directory();
  private long bytesLeft = Long.MAX_VALUE;
  private boolean forceFails;
  private boolean appendFails;
  private boolean isReadOnly;
  private long generation;
  private long forces;
  private long changesLeft = Long.MAX_VALUE;

  public SimDisk(Entropy entropy) {
    this.entropy = entropy;
  }

  /** The power fails and comes back: what was not forced is gone in part; open files are dead. */
  public void crash() {
    generation++;
    root.crash(entropy);
    changesLeft = Long.MAX_VALUE;
    forceFails = false;
    appendFails = false;
  }

  /** The process is killed: nothing that was written is lost, but open files are dead. */
  public void kill() {
    generation++;
    forceFails = false;
    appendFails = false;
  }

  /** From now on only this many more bytes can be written. */
  public void fill(long bytesLeft) {
    this.bytesLeft = bytesLeft;
  }

  /** There is room again. */
  public void free() {
    bytesLeft = Long.MAX_VALUE;
  }

  /**
   * The next force of a file fails. What it should have forced stays visible and is gone after the
   * next {@link #crash}, even if a later force succeeds; only writing it anew helps.
   */
  public void failNextForce() {
    forceFails = true;
  }

  /** The next append to a file fails. */
  public void failNextAppend() {
    appendFails = true;
  }

  /** Whether every change is refused, while reads and forces work. */
  public void readOnly(boolean on) {
    isReadOnly = on;
  }

  /** After this many more changes and forces nothing works any more, until the {@link #crash}. */
  public void powerOffIn(long changes) {
    changesLeft = changes;
  }

  /** Whether the power has gone and the crash is due. */
  public boolean isPowerOff() {
    return changesLeft < 0;
  }

  /** Every change of files and names begins here. */
  void beforeChange() {
    beforeForce();
    if (isReadOnly) {
      throw new DiskException("the simulated disk is read-only");
    }
  }

  /** Every force of files and names begins here. */
  void beforeForce() {
    if (changesLeft != Long.MAX_VALUE && --changesLeft < 0) {
      changesLeft = -1;
      throw new DiskException("the simulated disk has no power");
    }
  }

  /** Turns over one bit of the byte, on disk and in every cache. */
  public void corrupt(String path, long position) {
    file(path).corrupt((int) position, 1 << entropy.nextInt(8));
  }

  /** How many forces of files were done so far. */
  public long forceCount() {
    return forces;
  }

  @Override
  public AppendFile open(String path) {
    SimTree.Directory parent = directories(parent(path));
    SimTree.Node node = parent.find(name(path));
    if (node == null) {
      beforeChange();
      node = new SimTree.FileNode();
      parent.put(name(path), node);
    }
    if (!(node instanceof SimTree.FileNode file)) {
      throw new DiskException(path + " is a directory");
    }
    return new SimFile(this, path, file);
  }

  @Override
  public boolean exists(String path) {
    return find(path) != null;
  }

  @Override
  public List<String> list(String directory) {
    return find(directory) instanceof SimTree.Directory found ? found.names() : List.of();
  }

  @Override
  public byte[] read(String path) {
    return file(path).content();
  }

  @Override
  public void replace(String path, Content content) {
    SimTree.FileNode file = new SimTree.FileNode();
    content.writeTo(
        piece -> {
          byte[] bytes = new byte[piece.remaining()];
          piece.get(bytes);
          file.append(bytes);
        });
    beforeChange();
    take(file.size());
    if (failsForce()) {
      throw new DiskException("the simulated disk failed to force " + path);
    }
    file.force();
    SimTree.Directory parent = directories(parent(path));
    parent.put(name(path), file);
    parent.forceName(name(path));
  }

  @Override
  public void rename(String from, String to) {
    beforeChange();
    SimTree.Node node = find(from);
    if (node == null) {
      throw new DiskException("cannot rename " + from + ", which does not exist");
    }
    if (exists(to)) {
      throw new DiskException("cannot rename " + from + " to " + to + ", which exists");
    }
    SimTree.Directory source = directories(parent(from));
    SimTree.Directory target = directories(parent(to));
    if (source == target) {
      source.rename(name(from), name(to));
    } else {
      target.put(name(to), node);
      source.remove(name(from));
    }
  }

  /** Name by name, the last of a directory first, as it happens on a real disk. */
  @Override
  public void delete(String path) {
    SimTree.Node node = find(path);
    if (node != null) {
      if (node instanceof SimTree.Directory directory) {
        for (String name : new TreeSet<>(directory.names()).descendingSet()) {
          delete(path + "/" + name);
        }
      }
      beforeChange();
      directories(parent(path)).remove(name(path));
    }
  }

  @Override
  public void createDirectory(String path) {
    directories(path);
  }

  @Override
  public void forceDirectory(String directory) {
    beforeForce();
    if (find(directory) instanceof SimTree.Directory found) {
      found.forceNames();
    } else {
      throw new DiskException("cannot force " + directory + ", which is no directory");
    }
  }

  @Override
  public String absolutePath(String path) {
    return "/simulated/" + path;
  }

  long generation() {
    return generation;
  }

  boolean failsForce() {
    boolean fails = forceFails;
    forceFails = false;
    return fails;
  }

  void countForce() {
    forces++;
  }

  void beforeAppend(String path, int bytes) {
    beforeChange();
    if (appendFails) {
      appendFails = false;
      throw new DiskException("the simulated disk failed to write " + path);
    }
    take(bytes);
  }

  private void take(int bytes) {
    if (bytes > bytesLeft) {
      throw new DiskException("the simulated disk is full");
    }
    bytesLeft -= bytesLeft == Long.MAX_VALUE ? 0 : bytes;
  }

  private SimTree.FileNode file(String path) {
    if (find(path) instanceof SimTree.FileNode file) {
      return file;
    }
    throw new DiskException(path + " does not exist");
  }

  private SimTree.@Nullable Node find(String path) {
    SimTree.Node node = root;
    for (String part : parts(path)) {
      if (!(node instanceof SimTree.Directory directory)) {
        return null;
      }
      node = directory.find(part);
    }
    return node;
  }

  private SimTree.Directory directories(String path) {
    SimTree.Directory directory = root;
    for (String part : parts(path)) {
      SimTree.Node next = directory.find(part);
      if (next == null) {
        next = new SimTree.Directory();
        directory.put(part, next);
      }
      if (!(next instanceof SimTree.Directory found)) {
        throw new DiskException(path + " leads through a file");
      }
      directory = found;
    }
    return directory;
  }

  private static List<String> parts(String path) {
    List<String> parts = new ArrayList<>();
    int start = 0;
    while (start <= path.length()) {
      int slash = path.indexOf('/', start);
      int end = slash < 0 ? path.length() : slash;
      if (end > start) {
        parts.add(path.substring(start, end));
      }
      start = end + 1;
    }
    return parts;
  }

  private static String parent(String path) {
    int slash = path.lastIndexOf('/');
    return slash < 0 ? "" : path.substring(0, slash);
  }

  private static String name(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }
}
