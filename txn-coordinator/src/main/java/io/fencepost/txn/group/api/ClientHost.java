package io.fencepost.txn.group.api;

import io.fencepost.broker.api.RequestContext;

/** Where a member's connection comes from, as tools show it. */
final class ClientHost {
  private ClientHost() {}

  /** Tools expect a slash in front of the address. */
  static String of(RequestContext context) {
    String address = context.clientHost();
    return address.startsWith("/") ? address : "/" + address;
  }
}
