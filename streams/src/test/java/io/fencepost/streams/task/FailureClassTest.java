package io.fencepost.streams.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.streams.store.StoreFailure;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.IllegalGenerationException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.InvalidTxnTimeoutException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.TransactionAbortableException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.errors.UnreleasedInstanceIdException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.junit.jupiter.api.Test;

class FailureClassTest {
  @Test
  void every_error_of_the_clients_means_one_thing() {
    Map<Throwable, FailureClass> table =
        Map.ofEntries(
            Map.entry(new TimeoutException("t"), FailureClass.RETRY),
            Map.entry(new NotLeaderOrFollowerException("n"), FailureClass.RETRY),
            Map.entry(new CommitFailedException(), FailureClass.ABORT_AND_REWIND),
            Map.entry(new RebalanceInProgressException(), FailureClass.ABORT_AND_REWIND),
            Map.entry(new IllegalGenerationException(), FailureClass.ABORT_AND_REWIND),
            Map.entry(new UnknownMemberIdException(), FailureClass.ABORT_AND_REWIND),
            Map.entry(new TransactionAbortableException("a"), FailureClass.ABORT_AND_REWIND),
            Map.entry(new UnknownServerException(), FailureClass.ABORT_AND_REWIND),
            Map.entry(new ProducerFencedException("p"), FailureClass.FENCED),
            Map.entry(new InvalidProducerEpochException("e"), FailureClass.FENCED),
            Map.entry(new InvalidPidMappingException("m"), FailureClass.FENCED),
            Map.entry(new InvalidTxnStateException("s"), FailureClass.FENCED),
            Map.entry(new OutOfOrderSequenceException("o"), FailureClass.FENCED),
            Map.entry(new FencedInstanceIdException("i"), FailureClass.REPLACED),
            Map.entry(new UnreleasedInstanceIdException("u"), FailureClass.REPLACED),
            Map.entry(new KafkaException("says nothing"), FailureClass.FENCED),
            Map.entry(new TopicAuthorizationException("t"), FailureClass.FATAL),
            Map.entry(new SaslAuthenticationException("s"), FailureClass.FATAL),
            Map.entry(new UnsupportedVersionException("v"), FailureClass.FATAL),
            Map.entry(new RecordTooLargeException("r"), FailureClass.FATAL),
            Map.entry(new InvalidTxnTimeoutException("x"), FailureClass.FATAL),
            Map.entry(new StoreFailure("disk full", null), FailureClass.FATAL),
            Map.entry(new IllegalStateException("a bug"), FailureClass.FATAL));
    table.forEach(
        (error, expected) ->
            assertThat(FailureClass.of(error)).as("%s", error).isEqualTo(expected));
  }

  @Test
  void causes_are_unwrapped_and_the_outermost_that_says_something_decides() {
    ProducerFencedException fenced = new ProducerFencedException("other one");
    KafkaException wrapped =
        new KafkaException("in an error state", new ExecutionException(new KafkaException(fenced)));
    assertThat(FailureClass.of(wrapped)).isEqualTo(FailureClass.FENCED);
    assertThat(FailureClass.telling(wrapped)).isSameAs(fenced);
    assertThat(FailureClass.of(new KafkaException(new RecordTooLargeException("big"))))
        .isEqualTo(FailureClass.FATAL);
  }
}
