package io.fencepost.testkit.fault;

import io.fencepost.broker.wire.ApiKey;

/** What the requests on the path of a transactional batch are for. */
final class WireSentences {
  private WireSentences() {}

  static String of(ApiKey api) {
    return switch (api) {
      case PRODUCE -> "batches for partitions";
      case FETCH -> "a reader or follower asks for batches";
      case LIST_OFFSETS -> "where partitions begin and end";
      case METADATA -> "who leads which partition";
      case FIND_COORDINATOR -> "who coordinates a transactional id or group";
      case INIT_PRODUCER_ID -> "a producer gets its id and epoch, and fences its predecessor";
      case ADD_PARTITIONS_TO_TXN -> "partitions join a transaction, before version 2 of these";
      case ADD_OFFSETS_TO_TXN -> "a group's offsets join a transaction, before version 2 of these";
      case TXN_OFFSET_COMMIT -> "input offsets are staged in a transaction";
      case END_TXN -> "a producer commits or aborts its transaction";
      case WRITE_TXN_MARKERS -> "a coordinator has markers written to partitions";
      case OFFSET_COMMIT -> "a group commits offsets outside of transactions";
      case OFFSET_FETCH -> "which offsets a group has committed";
      case JOIN_GROUP, SYNC_GROUP, LEAVE_GROUP -> "a member of a classic group joins or leaves";
      case HEARTBEAT -> "a member of a classic group is alive";
      case CONSUMER_GROUP_HEARTBEAT -> "a member is alive, and learns its partitions (KIP-848)";
      case API_VERSIONS -> "the first of a connection: which requests the broker knows";
      default -> "one of the protocol's other requests";
    };
  }
}
