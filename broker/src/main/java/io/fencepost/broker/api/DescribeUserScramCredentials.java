package io.fencepost.broker.api;

import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.DescribeUserScramCredentialsRequest;
import io.fencepost.broker.wire.message.DescribeUserScramCredentialsRequest.UserName;
import io.fencepost.broker.wire.message.DescribeUserScramCredentialsResponse;
import io.fencepost.broker.wire.message.DescribeUserScramCredentialsResponse.DescribeUserScramCredentialsResult;
import java.util.List;

/** DescribeUserScramCredentials, v0: there are no users; one that is named does not exist. */
final class DescribeUserScramCredentials
    implements ApiHandler<
        DescribeUserScramCredentialsRequest, DescribeUserScramCredentialsResponse> {
  @Override
  public void handle(
      RequestContext context,
      DescribeUserScramCredentialsRequest request,
      Reply<DescribeUserScramCredentialsResponse> reply) {
    DescribeUserScramCredentialsResponse response = new DescribeUserScramCredentialsResponse();
    List<UserName> users = request.users;
    if (users != null) {
      for (UserName user : users) {
        DescribeUserScramCredentialsResult result = new DescribeUserScramCredentialsResult();
        result.user = user.name;
        result.errorCode = WireError.RESOURCE_NOT_FOUND.code();
        result.errorMessage =
            "Attempt to describe a user credential that does not exist: " + user.name;
        response.results.add(result);
      }
    }
    reply.send(response);
  }
}
