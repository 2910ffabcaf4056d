package io.fencepost.streams.main;

import io.fencepost.streams.task.Gateway;
import io.fencepost.streams.task.JobSteps;
import io.fencepost.streams.task.JobSteps.Step;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** A gateway that passes {@link JobSteps} around its calls. */
final class SteppedGateway implements Gateway {
  private static final int NO_PARTITION = -1;

  private final Gateway gateway;
  private final JobSteps steps;
  private final String worker;

  SteppedGateway(Gateway gateway, JobSteps steps, String worker) {
    this.gateway = gateway;
    this.steps = steps;
    this.worker = worker;
  }

  private void pass(Step step, @Nullable TopicPartition about) {
    steps.pass(step, worker, about);
  }

  @Override
  public void subscribe(
      Collection<String> topics, @Nullable Pattern pattern, Assignment assignment) {
    gateway.subscribe(topics, pattern, assignment);
  }

  @Override
  public List<Batch> poll(long timeoutMs) {
    pass(Step.BEFORE_POLL, null);
    List<Batch> batches = gateway.poll(timeoutMs);
    if (!batches.isEmpty()) {
      pass(Step.AFTER_POLL, batches.get(0).partition());
    }
    return batches;
  }

  @Override
  public void pause(Collection<TopicPartition> partitions) {
    gateway.pause(partitions);
  }

  @Override
  public void resume(Collection<TopicPartition> partitions) {
    gateway.resume(partitions);
  }

  @Override
  public long position(TopicPartition partition) {
    return gateway.position(partition);
  }

  @Override
  public @Nullable Long firstPosition(TopicPartition partition) {
    return gateway.firstPosition(partition);
  }

  @Override
  public long lag(TopicPartition partition) {
    return gateway.lag(partition);
  }

  @Override
  public long sentBytes() {
    return gateway.sentBytes();
  }

  @Override
  public long receivedBytes() {
    return gateway.receivedBytes();
  }

  @Override
  public void seek(TopicPartition partition, long offset) {
    gateway.seek(partition, offset);
  }

  @Override
  public Map<TopicPartition, Long> committed(Collection<TopicPartition> partitions) {
    return gateway.committed(partitions);
  }

  @Override
  public void renewProducer() {
    gateway.renewProducer();
  }

  @Override
  public void begin() {
    gateway.begin();
  }

  @Override
  public void send(Output output) {
    TopicPartition about = new TopicPartition(output.topic(), NO_PARTITION);
    pass(Step.BEFORE_SEND, about);
    gateway.send(output);
    pass(Step.AFTER_SEND, about);
  }

  @Override
  public void sendChange(TopicPartition changelog, Change change) {
    pass(Step.BEFORE_SEND, changelog);
    gateway.sendChange(changelog, change);
    pass(Step.AFTER_SEND, changelog);
  }

  @Override
  public void stageOffsets(Map<TopicPartition, Long> offsets) {
    pass(Step.BEFORE_STAGE, null);
    gateway.stageOffsets(offsets);
    pass(Step.AFTER_STAGE, null);
  }

  @Override
  public void commit() {
    pass(Step.BEFORE_END, null);
    gateway.commit();
    pass(Step.AFTER_END, null);
  }

  @Override
  public boolean abort() {
    pass(Step.BEFORE_END, null);
    boolean isUndone = gateway.abort();
    pass(Step.AFTER_END, null);
    return isUndone;
  }

  @Override
  public Map<TopicPartition, Long> changePositions() {
    return gateway.changePositions();
  }

  @Override
  public void purge(Map<TopicPartition, Long> beforeOffsets) {
    gateway.purge(beforeOffsets);
  }

  @Override
  public void purgeOlder(Map<TopicPartition, Long> beforeTimes) {
    gateway.purgeOlder(beforeTimes);
  }

  @Override
  public void close(long timeoutMs, boolean isReplaced) {
    gateway.close(timeoutMs, isReplaced);
  }
}
