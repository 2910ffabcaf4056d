package io.fencepost.testkit.prove.main;

import io.fencepost.testkit.history.Verdict;
import java.util.List;
import java.util.SortedMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A job to be proved, with its input. Each run has topics of its own: they are made, filled, and
 * read when all input is committed. May be used by several threads.
 */
public interface Subject {
  /** For titles and for the line that runs a plan again. */
  String name();

  /** A class with one public static method without parameters that returns the job. */
  String jobClass();

  /** What the job's class needs beside the class path of this process; empty if nothing. */
  String classPath();

  /** The job's application.id, which is its group too. */
  String application();

  List<String> inputs();

  /** Where the job writes, dead letters too. */
  List<String> outputs();

  /** Of each topic. */
  int partitions();

  /** Publishes all input, and returns when it is acknowledged. */
  void publish(String bootstrap);

  /** Topics of the job's own that {@link #audit} looks at too. */
  List<String> audited();

  /**
   * Checks of its own, by invariant, when a run is over.
   *
   * @param bootstrap as {@link #publish} was told
   * @param records all that stand committed in {@link #outputs} and {@link #audited}
   */
  SortedMap<String, Verdict> audit(String bootstrap, List<ConsumerRecord<byte[], byte[]>> records);
}
