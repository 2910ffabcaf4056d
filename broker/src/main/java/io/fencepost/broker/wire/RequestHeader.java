package io.fencepost.broker.wire;

import org.jspecify.annotations.Nullable;

/**
 * What stands before every request. The client id keeps its old two-byte length in all versions, so
 * that a broker can read the header of an ApiVersions request from the future.
 */
public record RequestHeader(
    int apiId, int apiVersion, int correlationId, @Nullable String clientId) {

  /** Reads the header and leaves the reader at the request, if the API is known. */
  public static RequestHeader read(WireReader in) {
    int apiId = in.readInt16("RequestHeader.apiId");
    int apiVersion = in.readInt16("RequestHeader.apiVersion");
    int correlationId = in.readInt32("RequestHeader.correlationId");
    String clientId = in.readNullableString(false, "RequestHeader.clientId");
    ApiKey key = ApiKey.of(apiId);
    if (key != null && key.requestHeaderVersion(apiVersion) >= 2) {
      in.skipTags();
    }
    return new RequestHeader(apiId, apiVersion, correlationId, clientId);
  }

  /** The API asked for; null if its messages have no classes. */
  public @Nullable ApiKey apiKey() {
    return ApiKey.of(apiId);
  }

  /** Writes the header in the version that the API's version wants. */
  public void write(WireWriter out) {
    out.writeInt16((short) apiId);
    out.writeInt16((short) apiVersion);
    out.writeInt32(correlationId);
    out.writeNullableString(clientId, false);
    ApiKey key = ApiKey.of(apiId);
    if (key != null && key.requestHeaderVersion(apiVersion) >= 2) {
      out.writeNoTags();
    }
  }
}
