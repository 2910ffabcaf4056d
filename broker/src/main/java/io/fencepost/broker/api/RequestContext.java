package io.fencepost.broker.api;

import org.jspecify.annotations.Nullable;

/**
 * Who asks, and in which version of the API.
 *
 * @param apiVersion the version of request and response
 * @param clientId what the client calls itself, if it says so
 * @param clientHost the address of the client, without port
 * @param connectionId never used twice in a broker's life
 */
public record RequestContext(
    int apiVersion, @Nullable String clientId, String clientHost, long connectionId) {}
