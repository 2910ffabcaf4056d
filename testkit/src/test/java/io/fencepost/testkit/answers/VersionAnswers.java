package io.fencepost.testkit.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.message.ApiVersionsRequest;
import io.fencepost.broker.wire.message.ApiVersionsResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a broker says that it can do. */
interface VersionAnswers extends Asked {
  /** As in Kafka, whatever else it serves. */
  String SERVED =
      """
      PRODUCE=0..13
      FETCH=4..18
      LIST_OFFSETS=1..11
      METADATA=0..13
      OFFSET_COMMIT=2..10
      OFFSET_FETCH=1..10
      FIND_COORDINATOR=0..6
      JOIN_GROUP=0..9
      HEARTBEAT=0..4
      LEAVE_GROUP=0..5
      SYNC_GROUP=0..5
      DESCRIBE_GROUPS=0..6
      LIST_GROUPS=0..5
      API_VERSIONS=0..5
      CREATE_TOPICS=2..7
      DELETE_TOPICS=1..6
      DELETE_RECORDS=0..2
      INIT_PRODUCER_ID=0..5
      OFFSET_FOR_LEADER_EPOCH=2..4
      ADD_PARTITIONS_TO_TXN=0..5
      ADD_OFFSETS_TO_TXN=0..4
      END_TXN=0..5
      WRITE_TXN_MARKERS=1..2
      TXN_OFFSET_COMMIT=0..6
      DESCRIBE_ACLS=1..3
      CREATE_ACLS=1..3
      DELETE_ACLS=1..3
      DESCRIBE_CONFIGS=1..4
      ALTER_CONFIGS=0..2
      ALTER_REPLICA_LOG_DIRS=1..2
      DESCRIBE_LOG_DIRS=1..5
      CREATE_PARTITIONS=0..3
      DELETE_GROUPS=0..3
      ELECT_LEADERS=0..2
      INCREMENTAL_ALTER_CONFIGS=0..1
      ALTER_PARTITION_REASSIGNMENTS=0..1
      LIST_PARTITION_REASSIGNMENTS=0..0
      UPDATE_FEATURES=0..2
      OFFSET_DELETE=0..0
      DESCRIBE_CLIENT_QUOTAS=0..1
      DESCRIBE_USER_SCRAM_CREDENTIALS=0..0
      DESCRIBE_CLUSTER=0..2
      DESCRIBE_PRODUCERS=0..0
      DESCRIBE_TRANSACTIONS=0..0
      LIST_TRANSACTIONS=0..2
      DESCRIBE_TOPIC_PARTITIONS=0..0
      """;

  private ApiVersionsResponse versions(int version, String software) {
    ApiVersionsRequest request = new ApiVersionsRequest();
    request.clientSoftwareName = software;
    request.clientSoftwareVersion = "1.0";
    return talk().ask(ApiKey.API_VERSIONS, version, request, ApiVersionsResponse.class);
  }

  @Test
  default void the_ranges_of_what_is_served() {
    for (int version = 0; version <= 4; version++) {
      List<String> ranges = new ArrayList<>();
      for (ApiVersionsResponse.ApiVersion range : versions(version, "test").apiKeys) {
        ranges.add(ApiKey.of(range.apiKey) + "=" + range.minVersion + ".." + range.maxVersion);
      }
      assertThat(ranges).containsAll(SERVED.lines().toList());
    }
  }

  @Test
  default void a_client_that_names_itself_badly_is_refused() {
    assertThat(Talk.name(versions(3, "two words").errorCode)).isEqualTo("INVALID_REQUEST");
    assertThat(Talk.name(versions(4, "").errorCode)).isEqualTo("INVALID_REQUEST");
  }
}
