package io.fencepost.broker.api;

import io.fencepost.broker.port.Clock;
import io.fencepost.broker.port.Entropy;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.FetchRequest;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A gate: the fetch sessions of all readers (KIP-227), as many as fit. A reader that gets none
 * sends full requests, which cost more but work the same. A new session takes the place of those
 * that were unused for longest, if they are old enough. One that grows beyond what all may weigh
 * together is forgotten, and its reader begins again.
 */
final class FetchSessions {
  /** Idle sessions older than this give way. */
  private static final long EVICTABLE_NANOS = 120_000L * 1_000_000;

  /** About 200 bytes each. */
  static final int MAX_WEIGHT = 50_000;

  private static final int FIRST_WITH_SESSIONS = 7;
  private static final int FIRST_WITH_TOPIC_IDS = 13;

  private final int capacity;
  private final Clock clock;
  private final Entropy entropy;
  private final TreeMap<Integer, FetchSession> sessions = new TreeMap<>();
  private int weight;

  FetchSessions(int capacity, Clock clock, Entropy entropy) {
    this.capacity = capacity;
    this.clock = clock;
    this.entropy = entropy;
  }

  /**
   * What a fetch is to read.
   *
   * @param session null if the request stands alone
   * @param isIncremental answer only what is news
   */
  record Plan(
      WireError error,
      @Nullable FetchSession session,
      boolean isIncremental,
      List<FetchTarget> targets) {
    static Plan refused(WireError error) {
      return new Plan(error, null, false, List.of());
    }

    /** 0 stands for none. */
    int sessionId() {
      return session == null ? 0 : session.id();
    }
  }

  synchronized Plan plan(FetchRequest request, int version) {
    if (version < FIRST_WITH_SESSIONS) {
      return alone(request);
    }
    boolean usesTopicIds = version >= FIRST_WITH_TOPIC_IDS;
    if (request.sessionEpoch == FetchSession.FINAL_EPOCH
        || request.sessionEpoch == FetchSession.INITIAL_EPOCH) {
      forget(request.sessionId);
      return request.sessionEpoch == FetchSession.FINAL_EPOCH
          ? alone(request)
          : begin(request, usesTopicIds);
    }
    FetchSession session = sessions.get(request.sessionId);
    if (session == null) {
      return Plan.refused(WireError.FETCH_SESSION_ID_NOT_FOUND);
    }
    if (session.nextEpoch() != request.sessionEpoch) {
      return Plan.refused(WireError.INVALID_FETCH_SESSION_EPOCH);
    }
    if (session.usesTopicIds() != usesTopicIds) {
      return Plan.refused(WireError.FETCH_SESSION_TOPIC_ID_ERROR);
    }
    weight -= session.weight();
    session.update(request);
    weight += session.weight();
    if (weight > MAX_WEIGHT) {
      forget(session.id());
      return Plan.refused(WireError.FETCH_SESSION_ID_NOT_FOUND);
    }
    session.advance(clock.monotonicNanos());
    return new Plan(WireError.NONE, session, true, session.targets());
  }

  private static Plan alone(FetchRequest request) {
    FetchSession unnamed = new FetchSession(0, false, 0);
    unnamed.update(request);
    return new Plan(WireError.NONE, null, false, unnamed.targets());
  }

  private Plan begin(FetchRequest request, boolean usesTopicIds) {
    long nowNanos = clock.monotonicNanos();
    if (request.topics.isEmpty()) {
      return alone(request);
    }
    int id;
    do {
      id = 1 + entropy.nextInt(Integer.MAX_VALUE);
    } while (sessions.containsKey(id));
    FetchSession session = new FetchSession(id, usesTopicIds, nowNanos);
    session.update(request);
    if (!makeRoom(session.weight(), nowNanos)) {
      return alone(request);
    }
    sessions.put(id, session);
    weight += session.weight();
    return new Plan(WireError.NONE, session, false, session.targets());
  }

  private boolean makeRoom(int wanted, long nowNanos) {
    while (sessions.size() >= capacity || weight + wanted > MAX_WEIGHT) {
      FetchSession oldest = oldest();
      if (wanted > MAX_WEIGHT
          || oldest == null
          || nowNanos - oldest.lastUsedNanos() < EVICTABLE_NANOS) {
        return false;
      }
      forget(oldest.id());
    }
    return true;
  }

  private @Nullable FetchSession oldest() {
    FetchSession oldest = null;
    for (FetchSession session : sessions.values()) {
      if (oldest == null || session.lastUsedNanos() - oldest.lastUsedNanos() < 0) {
        oldest = session;
      }
    }
    return oldest;
  }

  private void forget(int id) {
    FetchSession forgotten = sessions.remove(id);
    if (forgotten != null) {
      weight -= forgotten.weight();
    }
  }

  /** These had their turn. */
  synchronized void served(FetchSession session, List<FetchTarget> targets) {
    targets.forEach(session::moveToEnd);
  }

  synchronized int size() {
    return sessions.size();
  }
}
