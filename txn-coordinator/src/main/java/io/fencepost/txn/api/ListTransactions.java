package io.fencepost.txn.api;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.fencepost.broker.api.ApiHandler;
import io.fencepost.broker.api.Reply;
import io.fencepost.broker.api.RequestContext;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.ListTransactionsRequest;
import io.fencepost.broker.wire.message.ListTransactionsResponse;
import io.fencepost.txn.coordinator.TxnCoordinator;
import io.fencepost.txn.regex.RegexSize;
import io.fencepost.txn.txn.TxnEntry;
import io.fencepost.txn.txn.TxnState;
import java.util.EnumSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * ListTransactions (66), versions 0 to 2: the transactional ids of this coordinator.
 *
 * <ul>
 *   <li>Filters hold together; state names that do not exist are told back.
 *   <li>v1 by duration of the open transaction; v2 by regular expression (RE2) over the whole id
 *       (INVALID_REGULAR_EXPRESSION).
 * </ul>
 */
final class ListTransactions
    implements ApiHandler<ListTransactionsRequest, ListTransactionsResponse> {
  private final TxnCoordinator coordinator;

  ListTransactions(TxnCoordinator coordinator) {
    this.coordinator = coordinator;
  }

  @Override
  public void handle(
      RequestContext context,
      ListTransactionsRequest request,
      Reply<ListTransactionsResponse> reply) {
    ListTransactionsResponse response = new ListTransactionsResponse();
    EnumSet<TxnState> states = EnumSet.noneOf(TxnState.class);
    for (String label : request.stateFilters) {
      TxnState state = TxnState.labelled(label);
      if (state == null) {
        response.unknownStateFilters.add(label);
      } else {
        states.add(state);
      }
    }
    Predicate<String> byName = byName(request.transactionalIdPattern);
    if (byName == null) {
      response.errorCode = WireError.INVALID_REGULAR_EXPRESSION.code();
      reply.send(response);
      return;
    }
    boolean isByState = !request.stateFilters.isEmpty();
    TreeSet<Long> producers = new TreeSet<>(request.producerIdFilters);
    long nowMs = coordinator.nowMs();
    coordinator.list(
        entry ->
            (!isByState || states.contains(entry.state()))
                && (producers.isEmpty() || producers.contains(entry.producer().producerId()))
                && isOlder(entry, request.durationFilter, nowMs)
                && byName.test(entry.transactionalId()),
        (error, entries) -> {
          response.errorCode = error.code();
          for (TxnEntry entry : entries) {
            ListTransactionsResponse.TransactionState state =
                new ListTransactionsResponse.TransactionState();
            state.transactionalId = entry.transactionalId();
            state.producerId = entry.producer().producerId();
            state.transactionState = entry.state().label();
            response.transactionStates.add(state);
          }
          reply.send(response);
        });
  }

  /** Null if there is something wrong with the pattern. */
  private static @Nullable Predicate<String> byName(@Nullable String pattern) {
    if (pattern == null || pattern.isEmpty()) {
      return id -> true;
    }
    if (RegexSize.complaint(pattern) != null) {
      return null;
    }
    try {
      return Pattern.compile(pattern)::matches;
    } catch (PatternSyntaxException e) {
      return null;
    }
  }

  private static boolean isOlder(TxnEntry entry, long durationMs, long nowMs) {
    return durationMs < 0 || (!entry.state().isIdle() && nowMs - entry.startMs() > durationMs);
  }
}
