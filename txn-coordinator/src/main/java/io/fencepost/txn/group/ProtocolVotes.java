package io.fencepost.txn.group;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Chooses the protocol of a generation: among those that all support, the one most prefer. */
final class ProtocolVotes {
  private final Map<String, Integer> supporters = new LinkedHashMap<>();
  private final int memberCount;

  ProtocolVotes(Collection<Member> members) {
    memberCount = members.size();
    for (Member member : members) {
      Set<String> names = new LinkedHashSet<>();
      for (GroupProtocol protocol : member.protocols) {
        if (names.add(protocol.name())) {
          supporters.merge(protocol.name(), 1, Integer::sum);
        }
      }
    }
  }

  boolean supportedByAll(String protocol) {
    return supporters.getOrDefault(protocol, 0) == memberCount;
  }

  /** Whether the newcomer shares a protocol with all who are there. */
  boolean admits(List<GroupProtocol> newcomer) {
    return memberCount == 0 || newcomer.stream().anyMatch(p -> supportedByAll(p.name()));
  }

  /** The winner; the one voted for first among equals. Null only without members. */
  static @Nullable String winner(Collection<Member> members) {
    ProtocolVotes candidates = new ProtocolVotes(members);
    Map<String, Integer> votes = new LinkedHashMap<>();
    for (Member member : members) {
      String vote = member.vote(candidates);
      if (vote != null) {
        votes.merge(vote, 1, Integer::sum);
      }
    }
    String best = null;
    for (Map.Entry<String, Integer> entry : votes.entrySet()) {
      if (best == null || entry.getValue() > votes.getOrDefault(best, 0)) {
        best = entry.getKey();
      }
    }
    return best;
  }
}
