package io.fencepost.testkit.answers;

import static io.fencepost.testkit.answers.SettingTalk.APPEND;
import static io.fencepost.testkit.answers.SettingTalk.BROKER;
import static io.fencepost.testkit.answers.SettingTalk.DELETE;
import static io.fencepost.testkit.answers.SettingTalk.SET;
import static io.fencepost.testkit.answers.SettingTalk.SUBTRACT;
import static io.fencepost.testkit.answers.SettingTalk.TOPIC;
import static io.fencepost.testkit.answers.SettingTalk.change;
import static org.assertj.core.api.Assertions.assertThat;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.Uuid;
import io.fencepost.broker.wire.message.DescribeUserScramCredentialsRequest;
import io.fencepost.broker.wire.message.DescribeUserScramCredentialsResponse;
import io.fencepost.broker.wire.message.MetadataRequest;
import io.fencepost.broker.wire.message.MetadataResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Settings and metadata. */
interface SettingAnswers extends Asked {
  private String alter(int type, String name, int operation, String key, @Nullable String value) {
    return settings().alter(type, name, operation, key, value);
  }

  private SettingTalk settings() {
    return new SettingTalk(talk());
  }

  @Test
  default void bad_changes_of_settings() {
    String topic = talk().newTopic(1).name();
    assertThat(alter(TOPIC, topic, SET, "retention.ms", "5000")).isEqualTo("NONE");
    assertThat(alter(TOPIC, topic, SET, "retention.ms", "soon")).isEqualTo("INVALID_CONFIG");
    assertThat(alter(TOPIC, topic, SET, "no.such.key", "1")).isEqualTo("INVALID_CONFIG");
    assertThat(alter(TOPIC, topic, SET, "retention.ms", null)).isEqualTo("INVALID_REQUEST");
    assertThat(alter(TOPIC, topic, APPEND, "retention.ms", "1")).isEqualTo("INVALID_CONFIG");
    assertThat(alter(TOPIC, topic, SUBTRACT, "retention.ms", "1")).isEqualTo("INVALID_CONFIG");
    assertThat(alter(TOPIC, topic, APPEND, "cleanup.policy", "compact")).isEqualTo("NONE");
    assertThat(alter(TOPIC, topic, SUBTRACT, "cleanup.policy", "delete")).isEqualTo("NONE");
    assertThat(alter(TOPIC, topic, DELETE, "cleanup.policy", null)).isEqualTo("NONE");
    assertThat(alter(TOPIC, topic, DELETE, "no.such.key", null)).isEqualTo("NONE");
    assertThat(alter(TOPIC, topic, 9, "retention.ms", "1")).isEqualTo(answerToUnknownOperation());
    assertThat(alter(TOPIC, Talk.fresh("unknown"), SET, "retention.ms", "1"))
        .isEqualTo("UNKNOWN_TOPIC_OR_PARTITION");
    assertThat(alter(TOPIC, "a b", SET, "retention.ms", "1")).isEqualTo("INVALID_TOPIC_EXCEPTION");
    assertThat(
            settings()
                .alter(
                    TOPIC,
                    topic,
                    List.of(change(SET, "retention.ms", "1"), change(SET, "retention.ms", "2"))))
        .isEqualTo("INVALID_REQUEST");
    assertThat(alter(99, topic, SET, "x", "1")).isEqualTo("INVALID_REQUEST");
  }

  default String answerToUnknownOperation() {
    return "UNKNOWN_SERVER_ERROR";
  }

  private String describe(int type, String name) {
    return settings().describe(type, name);
  }

  @Test
  default void settings_of_things_that_do_not_exist() {
    assertThat(describe(TOPIC, talk().newTopic(1).name())).isEqualTo("NONE");
    assertThat(describe(TOPIC, Talk.fresh("unknown"))).isEqualTo("UNKNOWN_TOPIC_OR_PARTITION");
    assertThat(describe(TOPIC, "a b")).isEqualTo("INVALID_TOPIC_EXCEPTION");
    assertThat(describe(BROKER, "77")).isEqualTo("INVALID_REQUEST");
    assertThat(describe(BROKER, "one")).isEqualTo("INVALID_REQUEST");
    assertThat(describe(99, "x")).isEqualTo("INVALID_REQUEST");
  }

  private MetadataResponse.MetadataResponseTopic metadata(
      @Nullable String name, Uuid id, boolean create) {
    MetadataRequest.MetadataRequestTopic wish = new MetadataRequest.MetadataRequestTopic();
    wish.name = name;
    wish.topicId = id;
    MetadataRequest request = new MetadataRequest();
    request.topics = List.of(wish);
    request.allowAutoTopicCreation = create;
    return talk().ask(ApiKey.METADATA, 12, request, MetadataResponse.class).topics.get(0);
  }

  private String error(@Nullable String name, Uuid id, boolean create) {
    return Talk.name(metadata(name, id, create).errorCode);
  }

  @Test
  default void metadata_of_unknown_topics_and_their_creation_on_demand() {
    String name = Talk.fresh("wanted");
    assertThat(error(name, Uuid.ZERO, false)).isEqualTo("UNKNOWN_TOPIC_OR_PARTITION");
    assertThat(error("a b", Uuid.ZERO, true)).isEqualTo("INVALID_TOPIC_EXCEPTION");
    assertThat(error("a b", Uuid.ZERO, false)).isEqualTo("INVALID_TOPIC_EXCEPTION");
    assertThat(error(null, new Uuid(7, 7), false)).isEqualTo("UNKNOWN_TOPIC_ID");
    assertThat(TxnTalk.until(() -> error(name, Uuid.ZERO, true), "NONE"::equals)).isEqualTo("NONE");
    MetadataResponse.MetadataResponseTopic made = metadata(name, Uuid.ZERO, false);
    assertThat(made.partitions).hasSize(1);
    MetadataResponse.MetadataResponseTopic byId = metadata(null, made.topicId, false);
    assertThat(byId.errorCode).isZero();
    assertThat(byId.name).isEqualTo(name);
    assertThat(metadata("__consumer_offsets", Uuid.ZERO, false).isInternal).isTrue();
  }

  @Test
  default void a_user_that_does_not_exist_is_named() {
    DescribeUserScramCredentialsRequest request = new DescribeUserScramCredentialsRequest();
    request.users = null;
    assertThat(credentials(request)).isEqualTo("NONE []");
    DescribeUserScramCredentialsRequest.UserName nobody =
        new DescribeUserScramCredentialsRequest.UserName();
    nobody.name = "nobody";
    request.users = List.of(nobody);
    assertThat(credentials(request)).isEqualTo("NONE [nobody RESOURCE_NOT_FOUND]");
  }

  private String credentials(DescribeUserScramCredentialsRequest request) {
    DescribeUserScramCredentialsResponse answer =
        talk()
            .ask(
                ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS,
                0,
                request,
                DescribeUserScramCredentialsResponse.class);
    List<String> users =
        answer.results.stream().map(each -> each.user + " " + Talk.name(each.errorCode)).toList();
    return Talk.name(answer.errorCode) + " " + users;
  }
}
