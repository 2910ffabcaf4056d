package io.fencepost.broker.core;

import io.fencepost.broker.check.Finding;
import io.fencepost.broker.check.Findings;
import io.fencepost.broker.port.Disk;
import io.fencepost.broker.port.DiskException;
import io.fencepost.broker.port.Entropy;
import io.fencepost.broker.wire.Uuid;
import java.nio.charset.StandardCharsets;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Whose directory it is: the cluster and the broker, kept in {@code meta.properties}. A directory
 * of another broker, program or format version is refused.
 */
record DirectoryIdentity(String clusterId, int brokerId) {
  private static final String PATH = "meta.properties";
  private static final String FORMAT = "fencepost";
  private static final String VERSION = "1";
  private static final Pattern CLUSTER_ID = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_-]{21}");

  /** Reads the identity, or gives the empty directory one. Throws {@link DiskException}. */
  static DirectoryIdentity claim(Disk disk, Entropy entropy, int brokerId) {
    return disk.exists(PATH)
        ? existing(disk, brokerId)
        : write(disk, new DirectoryIdentity(freshClusterId(entropy), brokerId));
  }

  /** The same of a broker whose cluster has that id: a directory of another one is refused. */
  static DirectoryIdentity claim(Disk disk, int brokerId, String clusterId) {
    if (!disk.exists(PATH)) {
      return write(disk, new DirectoryIdentity(clusterId, brokerId));
    }
    DirectoryIdentity found = existing(disk, brokerId);
    expect(disk, properties(disk), "cluster.id", clusterId, "use the directory of this cluster");
    return found;
  }

  private static DirectoryIdentity write(Disk disk, DirectoryIdentity fresh) {
    disk.replace(PATH, fresh.text().getBytes(StandardCharsets.UTF_8));
    return fresh;
  }

  private static DirectoryIdentity existing(Disk disk, int brokerId) {
    TreeMap<String, String> properties = properties(disk);
    expect(disk, properties, "format", FORMAT, "use an empty directory");
    expect(disk, properties, "version", VERSION, "use the program that wrote it");
    expect(disk, properties, "node.id", String.valueOf(brokerId), "set node.id to that");
    String clusterId = properties.getOrDefault("cluster.id", "none");
    if (!CLUSTER_ID.matcher(clusterId).matches()) {
      throw new DiskException(
          "The meta.properties of the directory %s is damaged: cluster.id=%s is no id of 22 letters, digits, - and _; restore the file, or write the id that clients have seen"
              .formatted(disk.absolutePath(""), clusterId));
    }
    return new DirectoryIdentity(clusterId, brokerId);
  }

  /** Says what would keep a broker from taking the directory. */
  static void check(Disk disk, Findings findings) {
    if (!disk.exists(PATH)) {
      findings.damage(PATH, Finding.WHOLE, "the file is missing: it says whose directory it is");
      return;
    }
    TreeMap<String, String> properties = properties(disk);
    if (!FORMAT.equals(properties.get("format")) || !VERSION.equals(properties.get("version"))) {
      findings.damage(
          PATH,
          Finding.WHOLE,
          "it says format=%s and version=%s, not format=%s and version=%s"
              .formatted(properties.get("format"), properties.get("version"), FORMAT, VERSION));
    }
    if (!properties.getOrDefault("node.id", "").matches("[0-9]{1,9}")) {
      findings.damage(PATH, Finding.WHOLE, "node.id=" + properties.get("node.id"));
    }
    String clusterId = properties.getOrDefault("cluster.id", "none");
    if (!CLUSTER_ID.matcher(clusterId).matches()) {
      findings.damage(
          PATH,
          Finding.WHOLE,
          "cluster.id=" + clusterId + " is no id of 22 letters, digits, - and _");
    }
  }

  private static TreeMap<String, String> properties(Disk disk) {
    TreeMap<String, String> properties = new TreeMap<>();
    new String(disk.read(PATH), StandardCharsets.UTF_8)
        .lines()
        .filter(line -> line.indexOf('=') > 0 && !line.startsWith("#"))
        .forEach(
            line -> {
              int equals = line.indexOf('=');
              properties.put(line.substring(0, equals), line.substring(equals + 1));
            });
    return properties;
  }

  private static void expect(
      Disk disk, TreeMap<String, String> properties, String name, String wanted, String advice) {
    String found = properties.getOrDefault(name, "none");
    if (!found.equals(wanted)) {
      throw new DiskException(
          "The directory %s is not ours: its meta.properties says %s=%s, wanted is %s; %s"
              .formatted(disk.absolutePath(""), name, found, wanted, advice));
    }
  }

  private String text() {
    return "format=%s\nversion=%s\ncluster.id=%s\nnode.id=%d\n"
        .formatted(FORMAT, VERSION, clusterId, brokerId);
  }

  private static String freshClusterId(Entropy entropy) {
    String id;
    do {
      id = new Uuid(entropy.nextLong(), entropy.nextLong()).toString();
    } while (id.startsWith("-"));
    return id;
  }
}
