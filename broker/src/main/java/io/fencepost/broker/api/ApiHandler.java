package io.fencepost.broker.api;

import io.fencepost.broker.wire.WireMessage;

/**
 * Serves one API in all the versions it was registered with. Called by {@link ApiRouter} from the
 * connection's thread, for many connections at once.
 *
 * <p>A handler never blocks: what must wait keeps the reply and sends it later. An exception that
 * escapes is a bug or a broken disk; the connection is closed and the reason logged.
 *
 * @param <Q> the request
 * @param <R> its response
 */
@FunctionalInterface
public interface ApiHandler<Q extends WireMessage, R extends WireMessage> {
  /** The request's records and bytes are valid until the reply is sent. */
  void handle(RequestContext context, Q request, Reply<R> reply);
}
