package io.fencepost.testkit.prove.main;

import io.fencepost.streams.Job;
import io.fencepost.testkit.history.Verdict;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;

/** Numbers its input, in a store or, wrongly, in a variable. */
record CountingSubject(Class<?> job) implements Subject {
  private static final int RECORDS = 120;

  /** Keeps the count in a store. */
  public static final class Counting {
    private Counting() {}

    public static Job define() {
      Job job = Job.named("counting");
      job.from("numbers", Serdes.String(), Serdes.String())
          .count("so-far")
          .changes()
          .to("counts", Serdes.String(), Serdes.Long());
      return job;
    }
  }

  /** Keeps it in memory, where a crash forgets it and an abort does not take it back. */
  public static final class Forgetful {
    private static final AtomicLong COUNT = new AtomicLong();

    private Forgetful() {}

    public static Job define() {
      COUNT.set(0);
      Job job = Job.named("counting");
      job.from("numbers", Serdes.String(), Serdes.String())
          .mapValues(value -> COUNT.incrementAndGet())
          .to("counts", Serdes.String(), Serdes.Long());
      return job;
    }
  }

  /** Puts out another number each time. */
  public static final class Drawing {
    private Drawing() {}

    public static Job define() {
      Job job = Job.named("counting");
      job.from("numbers", Serdes.String(), Serdes.String())
          .mapValues(value -> ThreadLocalRandom.current().nextLong())
          .to("counts", Serdes.String(), Serdes.Long());
      return job;
    }
  }

  @Override
  public String name() {
    return "counting";
  }

  @Override
  public String jobClass() {
    return job.getName();
  }

  @Override
  public String classPath() {
    return "";
  }

  @Override
  public String application() {
    return "counting";
  }

  @Override
  public List<String> inputs() {
    return List.of("numbers");
  }

  @Override
  public List<String> outputs() {
    return List.of("counts");
  }

  @Override
  public int partitions() {
    return 1;
  }

  @Override
  public void publish(String bootstrap) {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.<String, Object>of("bootstrap.servers", bootstrap),
            new StringSerializer(),
            new StringSerializer())) {
      for (int i = 0; i < RECORDS; i++) {
        var unused = producer.send(new ProducerRecord<>("numbers", "key-" + i % 7, "value-" + i));
      }
    }
  }

  @Override
  public List<String> audited() {
    return List.of();
  }

  @Override
  public SortedMap<String, Verdict> audit(
      String bootstrap, List<ConsumerRecord<byte[], byte[]>> records) {
    return new TreeMap<>();
  }
}
