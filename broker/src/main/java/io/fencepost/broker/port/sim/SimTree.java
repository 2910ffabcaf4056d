package io.fencepost.broker.port.sim;

import io.fencepost.broker.port.Entropy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The files and directories of a {@link SimDisk}: as they look, and as they would survive. */
final class SimTree {
  private static final int SECTOR_BYTES = 512;

  private SimTree() {}

  /** A file or a directory. */
  abstract static class Node {
    abstract void crash(Entropy entropy);
  }

  /** Names as they look, the names that are durable, and the changes between the two. */
  static final class Directory extends Node {
    private TreeMap<String, Node> visible = new TreeMap<>();
    private TreeMap<String, Node> durable = new TreeMap<>();
    private final List<Change> changes = new ArrayList<>();

    private record Change(@Nullable String removed, @Nullable String added, @Nullable Node node) {
      void applyTo(TreeMap<String, Node> names) {
        if (removed != null) {
          names.remove(removed);
        }
        if (added != null && node != null) {
          names.put(added, node);
        }
      }

      boolean concerns(String name) {
        return name.equals(removed) || name.equals(added);
      }
    }

    @Nullable Node find(String name) {
      return visible.get(name);
    }

    List<String> names() {
      return new ArrayList<>(visible.keySet());
    }

    void put(String name, Node node) {
      change(new Change(null, name, node));
    }

    void remove(String name) {
      change(new Change(name, null, null));
    }

    void rename(String from, String to) {
      change(new Change(from, to, visible.get(from)));
    }

    private void change(Change change) {
      change.applyTo(visible);
      changes.add(change);
    }

    void forceNames() {
      durable = new TreeMap<>(visible);
      changes.clear();
    }

    void forceName(String name) {
      changes.stream().filter(change -> change.concerns(name)).forEach(c -> c.applyTo(durable));
      changes.removeIf(change -> change.concerns(name));
    }

    @Override
    void crash(Entropy entropy) {
      int mode = entropy.nextInt(3);
      for (Change change : changes) {
        if (mode == 0 || (mode == 1 && entropy.nextInt(2) == 0)) {
          change.applyTo(durable);
        }
      }
      changes.clear();
      durable.values().forEach(node -> node.crash(entropy));
      visible = new TreeMap<>(durable);
    }
  }

  /** Content as it looks, and the content that is durable. */
  static final class FileNode extends Node {
    private byte[] bytes = new byte[0];
    private int size;
    private int durableSize;

    /** Set while durable content below durableSize differs from what is visible. */
    private byte @Nullable [] durable;

    /** Visible content below this is durable, whatever was cut or overwritten. */
    private int untouchedSize;

    /** Where a force failed: caches show what was written there, the disk never got it. */
    private final BitSet unwritten = new BitSet();

    int size() {
      return size;
    }

    byte[] content() {
      return Arrays.copyOf(bytes, size);
    }

    void append(byte[] added) {
      if (size + added.length > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + added.length));
      }
      System.arraycopy(added, 0, bytes, size, added.length);
      size += added.length;
    }

    void read(int position, byte[] into, int count) {
      System.arraycopy(bytes, position, into, 0, count);
    }

    void write(int position, byte[] content) {
      setAsideIfDurable(position);
      System.arraycopy(content, 0, bytes, position, content.length);
      unwritten.clear(position, position + content.length);
    }

    void truncate(int newSize) {
      setAsideIfDurable(newSize);
      size = Math.min(size, newSize);
      unwritten.clear(size, Integer.MAX_VALUE);
    }

    void corrupt(int position, int mask) {
      bytes[position] ^= (byte) mask;
      if (durable != null && position < durable.length) {
        durable[position] ^= (byte) mask;
      }
    }

    void force() {
      durable = null;
      durableSize = size;
      untouchedSize = size;
    }

    /** As the page cache of Linux: what could not be written counts as clean from now on. */
    void failForce() {
      unwritten.set(Math.min(untouchedSize, size), size);
    }

    private void setAsideIfDurable(int position) {
      if (durable == null && position < durableSize) {
        durable = Arrays.copyOf(bytes, durableSize);
      }
      untouchedSize = Math.min(untouchedSize, position);
    }

    @Override
    void crash(Entropy entropy) {
      byte[] old = durable;
      if (old == null) {
        loseTail(entropy);
      } else {
        afterRewrite(old, entropy);
      }
      force();
      int end = Math.min(unwritten.length(), size);
      for (int i = unwritten.nextSetBit(0); i >= 0 && i < end; i = unwritten.nextSetBit(i + 1)) {
        bytes[i] = 0;
      }
      unwritten.clear();
    }

    /**
     * Cuts and overwrites: the old content, or the new one torn, or the new one in front of old.
     */
    private void afterRewrite(byte[] old, Entropy entropy) {
      int mode = entropy.nextInt(3);
      if (mode == 0) {
        bytes = old;
        size = old.length;
      } else if (mode == 1 && old.length > untouchedSize) {
        int from = untouchedSize + entropy.nextInt(old.length - untouchedSize);
        byte[] mixed = Arrays.copyOf(bytes, Math.max(size, old.length));
        if (from < size) {
          System.arraycopy(old, from, mixed, from, old.length - from);
          bytes = mixed;
          size = mixed.length;
        }
      } else {
        loseTail(entropy);
      }
    }

    private void loseTail(Entropy entropy) {
      int floor = Math.min(untouchedSize, size);
      int loose = size - floor;
      if (loose <= 0) {
        return;
      }
      int mode = entropy.nextInt(4);
      if (mode == 0) {
        size = floor;
      } else if (mode == 1) {
        size = floor + entropy.nextInt(loose + 1);
      } else if (mode == 2) {
        // The size is on disk, a sector in the middle is not.
        int from = floor + entropy.nextInt(loose);
        int to = Math.min(size, from + 1 + entropy.nextInt(SECTOR_BYTES));
        Arrays.fill(bytes, from, to, (byte) 0);
      }
    }
  }
}
