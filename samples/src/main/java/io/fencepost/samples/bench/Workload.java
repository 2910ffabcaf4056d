package io.fencepost.samples.bench;

/** Something that clients do to a broker, as often as told. */
interface Workload {
  /** One line for the head of the table: what is done, and what one operation is. */
  String title();

  /** What one operation is called in the table. */
  String unit();

  /** How many operations a measured pass does. */
  int operationsPerPass();

  /** Where it writes. */
  String topic();

  /** How many offsets of the topic one acknowledged operation takes, markers included. */
  int offsetsPerOperation();

  /** Opens the clients; their set-up is not part of any figure. */
  Session open(String bootstrap) throws Exception;

  /** Clients of one broker. */
  interface Session extends AutoCloseable {
    /**
     * Does the operations and returns when each is acknowledged; throws if one is refused.
     *
     * @param latencyNanos gets the time of each operation, or nothing if the operations overlap
     */
    void run(int operations, Latencies latencyNanos) throws Exception;

    @Override
    void close();
  }
}
