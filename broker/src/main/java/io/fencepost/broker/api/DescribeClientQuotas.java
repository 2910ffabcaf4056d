package io.fencepost.broker.api;

import io.fencepost.broker.wire.message.DescribeClientQuotasRequest;
import io.fencepost.broker.wire.message.DescribeClientQuotasResponse;
import java.util.ArrayList;

/** DescribeClientQuotas, v0 to v1: nobody has a quota here. */
final class DescribeClientQuotas
    implements ApiHandler<DescribeClientQuotasRequest, DescribeClientQuotasResponse> {
  @Override
  public void handle(
      RequestContext context,
      DescribeClientQuotasRequest request,
      Reply<DescribeClientQuotasResponse> reply) {
    DescribeClientQuotasResponse response = new DescribeClientQuotasResponse();
    response.errorMessage = null;
    response.entries = new ArrayList<>();
    reply.send(response);
  }
}
