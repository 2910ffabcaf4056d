package io.fencepost.broker.wire;

import org.jspecify.annotations.Nullable;

/**
 * The error codes of Kafka 4.4's protocol. {@link #isRetriable} says what Kafka's own clients do
 * with the code: they send the same request again.
 */
public enum WireError {
  UNKNOWN_SERVER_ERROR(-1, false, "Something broke inside the broker; its log says what."),
  NONE(0, false, "No error."),
  OFFSET_OUT_OF_RANGE(
      1, false, "The log does not hold that offset: it is deleted already or not written yet."),
  CORRUPT_MESSAGE(2, true, "A batch is damaged: its checksum, size or a record in it is wrong."),
  UNKNOWN_TOPIC_OR_PARTITION(3, true, "No such topic or partition lives here."),
  INVALID_FETCH_SIZE(4, false, "The size asked for in a fetch makes no sense."),
  LEADER_NOT_AVAILABLE(5, true, "The partition has no leader at the moment."),
  NOT_LEADER_OR_FOLLOWER(
      6, true, "This broker does not lead the partition, or holds no replica of it."),
  REQUEST_TIMED_OUT(7, true, "The time allowed for the request is over."),
  BROKER_NOT_AVAILABLE(8, false, "That broker can't be reached."),
  REPLICA_NOT_AVAILABLE(9, true, "That replica can't serve the partition now."),
  MESSAGE_TOO_LARGE(10, false, "A batch is larger than the topic allows."),
  STALE_CONTROLLER_EPOCH(11, false, "The sender speaks for a controller that has been replaced."),
  OFFSET_METADATA_TOO_LARGE(12, false, "The metadata beside a committed offset is too long."),
  NETWORK_EXCEPTION(13, true, "The connection ended before an answer came."),
  COORDINATOR_LOAD_IN_PROGRESS(14, true, "The coordinator still reads its log; ask again soon."),
  COORDINATOR_NOT_AVAILABLE(15, true, "There is no coordinator for that key yet."),
  NOT_COORDINATOR(16, true, "Another broker coordinates that key."),
  INVALID_TOPIC_EXCEPTION(
      17, false, "That topic's name is not allowed, or the topic is not for clients."),
  RECORD_LIST_TOO_LARGE(18, false, "A batch would not fit into one segment."),
  NOT_ENOUGH_REPLICAS(
      19, true, "Fewer replicas are in sync than the topic demands; nothing was written."),
  NOT_ENOUGH_REPLICAS_AFTER_APPEND(
      20, true, "Written, but then fewer replicas were in sync than demanded."),
  INVALID_REQUIRED_ACKS(21, false, "Acks must be 0, 1 or -1."),
  ILLEGAL_GENERATION(22, false, "The group has moved on to another generation."),
  INCONSISTENT_GROUP_PROTOCOL(
      23, false, "The member shares no protocol with the rest of its group."),
  INVALID_GROUP_ID(24, false, "That group id is not allowed."),
  UNKNOWN_MEMBER_ID(25, false, "The group has no such member; it has to join again."),
  INVALID_SESSION_TIMEOUT(26, false, "The session timeout is outside what the broker allows."),
  REBALANCE_IN_PROGRESS(27, false, "The group is rebalancing; the member has to join again."),
  INVALID_COMMIT_OFFSET_SIZE(28, false, "The commit is too large to be stored."),
  TOPIC_AUTHORIZATION_FAILED(29, false, "The client may not do this with the topic."),
  GROUP_AUTHORIZATION_FAILED(30, false, "The client may not do this with the group."),
  CLUSTER_AUTHORIZATION_FAILED(31, false, "The client may not do this with the cluster."),
  INVALID_TIMESTAMP(32, false, "A record's timestamp is too far from the broker's time."),
  UNSUPPORTED_SASL_MECHANISM(33, false, "The broker does not offer that SASL mechanism."),
  ILLEGAL_SASL_STATE(34, false, "The request does not fit the state of authentication."),
  UNSUPPORTED_VERSION(35, false, "This broker does not serve that version of the API."),
  TOPIC_ALREADY_EXISTS(36, false, "There is a topic of that name already."),
  INVALID_PARTITIONS(37, false, "The number of partitions is not possible."),
  INVALID_REPLICATION_FACTOR(
      38, false, "The replication factor is below 1 or above the number of brokers."),
  INVALID_REPLICA_ASSIGNMENT(39, false, "The replicas can't be placed like that."),
  INVALID_CONFIG(40, false, "A configuration value is not valid."),
  NOT_CONTROLLER(41, true, "Another broker is the controller."),
  INVALID_REQUEST(42, false, "The request contradicts itself or the protocol."),
  UNSUPPORTED_FOR_MESSAGE_FORMAT(43, false, "The format of the log's batches can't express this."),
  POLICY_VIOLATION(44, false, "A policy of the broker forbids this."),
  OUT_OF_ORDER_SEQUENCE_NUMBER(
      45, false, "The batch leaves a gap in the producer's sequence numbers."),
  DUPLICATE_SEQUENCE_NUMBER(46, false, "The batch has been written before."),
  INVALID_PRODUCER_EPOCH(47, false, "The producer's epoch is older than one already seen."),
  INVALID_TXN_STATE(48, false, "The transaction's state does not allow that operation."),
  INVALID_PRODUCER_ID_MAPPING(49, false, "The transactional id belongs to another producer id."),
  INVALID_TRANSACTION_TIMEOUT(
      50, false, "The transaction timeout is longer than the broker allows."),
  CONCURRENT_TRANSACTIONS(51, true, "The last operation on this transaction has not ended yet."),
  TRANSACTION_COORDINATOR_FENCED(
      52, false, "The marker comes from a coordinator that has been replaced."),
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED(53, false, "The client may not use that transactional id."),
  SECURITY_DISABLED(54, false, "The broker runs without security features."),
  OPERATION_NOT_ATTEMPTED(55, false, "Not tried, as another part of the same request failed."),
  KAFKA_STORAGE_ERROR(56, true, "The disk failed under the log."),
  LOG_DIR_NOT_FOUND(57, false, "The broker has no such log directory."),
  SASL_AUTHENTICATION_FAILED(58, false, "The credentials are wrong."),
  UNKNOWN_PRODUCER_ID(59, false, "The partition remembers nothing of that producer id."),
  REASSIGNMENT_IN_PROGRESS(60, false, "The partition is being reassigned already."),
  DELEGATION_TOKEN_AUTH_DISABLED(61, false, "The broker runs without delegation tokens."),
  DELEGATION_TOKEN_NOT_FOUND(62, false, "There is no such delegation token."),
  DELEGATION_TOKEN_OWNER_MISMATCH(63, false, "The client neither owns nor may renew that token."),
  DELEGATION_TOKEN_REQUEST_NOT_ALLOWED(
      64, false, "Tokens can't be asked for over this kind of connection."),
  DELEGATION_TOKEN_AUTHORIZATION_FAILED(65, false, "The client may not do this with the token."),
  DELEGATION_TOKEN_EXPIRED(66, false, "The delegation token is too old."),
  INVALID_PRINCIPAL_TYPE(67, false, "That type of principal is not known."),
  NON_EMPTY_GROUP(68, false, "The group still has members."),
  GROUP_ID_NOT_FOUND(69, false, "There is no such group."),
  FETCH_SESSION_ID_NOT_FOUND(
      70, true, "The broker has forgotten that fetch session; start a new one."),
  INVALID_FETCH_SESSION_EPOCH(
      71, true, "The fetch session expected another epoch; start a new one."),
  LISTENER_NOT_FOUND(72, true, "The leader has no listener like the one this request came in by."),
  TOPIC_DELETION_DISABLED(73, false, "The broker does not delete topics."),
  FENCED_LEADER_EPOCH(74, true, "The client knows an older leader epoch than this broker."),
  UNKNOWN_LEADER_EPOCH(75, true, "The client knows a newer leader epoch than this broker."),
  UNSUPPORTED_COMPRESSION_TYPE(
      76, false, "The client's version can't read the partition's compression."),
  STALE_BROKER_EPOCH(77, false, "The broker has registered anew since."),
  OFFSET_NOT_AVAILABLE(78, true, "The new leader does not know its high watermark yet."),
  MEMBER_ID_REQUIRED(79, false, "Join again with the member id given in this answer."),
  PREFERRED_LEADER_NOT_AVAILABLE(80, true, "The preferred leader is not available."),
  GROUP_MAX_SIZE_REACHED(81, false, "The group has as many members as it may have."),
  FENCED_INSTANCE_ID(82, false, "Another member has taken over that group instance id."),
  ELIGIBLE_LEADERS_NOT_AVAILABLE(83, true, "No replica may become leader now."),
  ELECTION_NOT_NEEDED(84, true, "The partition has the right leader already."),
  NO_REASSIGNMENT_IN_PROGRESS(85, false, "The partition is not being reassigned."),
  GROUP_SUBSCRIBED_TO_TOPIC(86, false, "The group still reads that topic."),
  INVALID_RECORD(87, false, "A record breaks a rule of its topic."),
  UNSTABLE_OFFSET_COMMIT(88, true, "An open transaction may still change that offset."),
  THROTTLING_QUOTA_EXCEEDED(89, true, "The client has used up its quota for now."),
  PRODUCER_FENCED(90, false, "A newer producer uses the same transactional id."),
  RESOURCE_NOT_FOUND(91, false, "What the request names does not exist."),
  DUPLICATE_RESOURCE(92, false, "The request names the same thing twice."),
  UNACCEPTABLE_CREDENTIAL(93, false, "The credential is too weak or malformed."),
  INCONSISTENT_VOTER_SET(94, false, "Sender and receiver disagree about who votes."),
  INVALID_UPDATE_VERSION(95, false, "A feature can't take that version."),
  FEATURE_UPDATE_FAILED(96, false, "The features could not be updated."),
  PRINCIPAL_DESERIALIZATION_FAILURE(97, false, "A forwarded principal can't be read."),
  SNAPSHOT_NOT_FOUND(98, false, "There is no such snapshot."),
  POSITION_OUT_OF_RANGE(99, false, "The snapshot does not have that position."),
  UNKNOWN_TOPIC_ID(100, true, "No topic of that id lives here."),
  DUPLICATE_BROKER_REGISTRATION(101, false, "That broker id is taken."),
  BROKER_ID_NOT_REGISTERED(102, false, "No broker of that id has registered."),
  INCONSISTENT_TOPIC_ID(103, true, "The log belongs to a topic of another id."),
  INCONSISTENT_CLUSTER_ID(104, false, "The request is meant for another cluster."),
  TRANSACTIONAL_ID_NOT_FOUND(105, false, "There is no such transactional id."),
  FETCH_SESSION_TOPIC_ID_ERROR(106, true, "A fetch session mixes topic names with topic ids."),
  INELIGIBLE_REPLICA(107, false, "A replica may not be in the in-sync set."),
  NEW_LEADER_ELECTED(108, false, "The change was made, and by now another broker leads."),
  OFFSET_MOVED_TO_TIERED_STORAGE(109, false, "That offset now lives in tiered storage only."),
  FENCED_MEMBER_EPOCH(
      110, false, "The member's epoch is over: give up all partitions and join again."),
  UNRELEASED_INSTANCE_ID(111, false, "A member that has not left holds that group instance id."),
  UNSUPPORTED_ASSIGNOR(112, false, "The group can't use that assignor."),
  STALE_MEMBER_EPOCH(
      113, false, "The member's epoch is behind; take the one of its next heartbeat."),
  MISMATCHED_ENDPOINT_TYPE(114, false, "The request belongs to another kind of endpoint."),
  UNSUPPORTED_ENDPOINT_TYPE(115, false, "Endpoints of that kind are not served."),
  UNKNOWN_CONTROLLER_ID(116, false, "There is no controller of that id."),
  UNKNOWN_SUBSCRIPTION_ID(117, false, "That telemetry subscription is not or no longer valid."),
  TELEMETRY_TOO_LARGE(118, false, "The telemetry pushed is more than the broker takes."),
  INVALID_REGISTRATION(119, false, "The controller refuses the broker's registration."),
  TRANSACTION_ABORTABLE(120, false, "This transaction can't commit; abort it and go on."),
  INVALID_RECORD_STATE(121, false, "The record can't be acknowledged in its present state."),
  SHARE_SESSION_NOT_FOUND(122, true, "The broker has forgotten that share session."),
  INVALID_SHARE_SESSION_EPOCH(123, true, "The share session expected another epoch."),
  FENCED_STATE_EPOCH(124, false, "The share state has moved on to another epoch."),
  INVALID_VOTER_KEY(125, false, "The voter's key is not that of the replica asked."),
  DUPLICATE_VOTER(126, false, "That voter is one already."),
  VOTER_NOT_FOUND(127, false, "There is no such voter."),
  INVALID_REGULAR_EXPRESSION(128, false, "The subscription's pattern can't be compiled."),
  REBOOTSTRAP_REQUIRED(
      129, false, "Start again from the bootstrap servers: the metadata is too old."),
  STREAMS_INVALID_TOPOLOGY(130, false, "The topology contradicts itself."),
  STREAMS_INVALID_TOPOLOGY_EPOCH(131, false, "The topology's epoch is not valid."),
  STREAMS_TOPOLOGY_FENCED(132, false, "A newer topology is in use."),
  SHARE_SESSION_LIMIT_REACHED(133, true, "The broker holds as many share sessions as it may."),
  GROUP_DELETION_FAILED(134, false, "The group could not be deleted; its own message says why."),
  STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED(
      135, false, "The topology's description could not be stored."),
  CONTROLLER_ID_NOT_REGISTERED(136, false, "No controller of that id has registered.");

  private static final int HIGHEST = 136;
  private static final @Nullable WireError[] BY_CODE = byCode();

  private final short code;
  private final boolean retriable;
  private final String sentence;

  WireError(int code, boolean retriable, String sentence) {
    this.code = (short) code;
    this.retriable = retriable;
    this.sentence = sentence;
  }

  private static @Nullable WireError[] byCode() {
    @Nullable WireError[] errors = new WireError[HIGHEST + 1];
    for (WireError error : values()) {
      if (error.code >= 0) {
        errors[error.code] = error;
      }
    }
    return errors;
  }

  /** The error of that code; {@link #UNKNOWN_SERVER_ERROR} for codes from the future. */
  public static WireError of(short code) {
    WireError error = code < 0 || code > HIGHEST ? null : BY_CODE[code];
    return error == null ? UNKNOWN_SERVER_ERROR : error;
  }

  /** The number on the wire. */
  public short code() {
    return code;
  }

  /** Whether clients try again with the same request. */
  public boolean isRetriable() {
    return retriable;
  }

  /** What the error means, for people; fit for the message field of a response. */
  public String sentence() {
    return sentence;
  }
}
