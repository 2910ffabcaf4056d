package io.fencepost.broker.api;

import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.CreateAclsRequest;
import io.fencepost.broker.wire.message.CreateAclsResponse;
import io.fencepost.broker.wire.message.DeleteAclsRequest;
import io.fencepost.broker.wire.message.DeleteAclsResponse;
import io.fencepost.broker.wire.message.DescribeAclsRequest;
import io.fencepost.broker.wire.message.DescribeAclsResponse;

/**
 * DescribeAcls, CreateAcls and DeleteAcls, v1 to v3: there is no authorization here, and whoever
 * asks hears so (SECURITY_DISABLED), as from an Apache Kafka without an authorizer.
 */
final class Acls {
  private static final short ERROR = WireError.SECURITY_DISABLED.code();
  private static final String SENTENCE = "No Authorizer is configured.";

  private Acls() {}

  static void serve(ApiRouter.Builder routes) {
    ApiHandler<DescribeAclsRequest, DescribeAclsResponse> describe = Acls::describe;
    ApiHandler<CreateAclsRequest, CreateAclsResponse> create = Acls::create;
    ApiHandler<DeleteAclsRequest, DeleteAclsResponse> delete = Acls::delete;
    routes
        .serve(ApiKey.DESCRIBE_ACLS, describe)
        .serve(ApiKey.CREATE_ACLS, create)
        .serve(ApiKey.DELETE_ACLS, delete);
  }

  private static void describe(
      RequestContext context, DescribeAclsRequest request, Reply<DescribeAclsResponse> reply) {
    DescribeAclsResponse response = new DescribeAclsResponse();
    response.errorCode = ERROR;
    response.errorMessage = "No Authorizer is configured on the broker";
    reply.send(response);
  }

  private static void create(
      RequestContext context, CreateAclsRequest request, Reply<CreateAclsResponse> reply) {
    CreateAclsResponse response = new CreateAclsResponse();
    request.creations.forEach(
        creation -> {
          CreateAclsResponse.AclCreationResult result = new CreateAclsResponse.AclCreationResult();
          result.errorCode = ERROR;
          result.errorMessage = SENTENCE;
          response.results.add(result);
        });
    reply.send(response);
  }

  private static void delete(
      RequestContext context, DeleteAclsRequest request, Reply<DeleteAclsResponse> reply) {
    DeleteAclsResponse response = new DeleteAclsResponse();
    request.filters.forEach(
        filter -> {
          DeleteAclsResponse.DeleteAclsFilterResult result =
              new DeleteAclsResponse.DeleteAclsFilterResult();
          result.errorCode = ERROR;
          result.errorMessage = SENTENCE;
          response.filterResults.add(result);
        });
    reply.send(response);
  }
}
