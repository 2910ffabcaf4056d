package io.fencepost.broker.api;

import io.fencepost.broker.cluster.Feature;
import io.fencepost.broker.cluster.Features;
import io.fencepost.broker.wire.ApiKey;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.ApiVersionsRequest;
import io.fencepost.broker.wire.message.ApiVersionsResponse;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * ApiVersions, v0 to v4: what this broker serves.
 *
 * <ul>
 *   <li>lists an API with the versions that really work, and the finalised features
 *   <li>a version that is not served is answered in v0 with UNSUPPORTED_VERSION and its own range
 * </ul>
 *
 * v1 adds throttle time, v3 the client's software name (checked) and features, v4 features whose
 * lowest level is 0.
 */
final class ApiVersions {
  private static final Pattern SOFTWARE_NAME =
      Pattern.compile("[a-zA-Z0-9](?:[a-zA-Z0-9\\-.]*[a-zA-Z0-9])?");
  private static final int FIRST_WITH_LEVEL_0 = 4;

  private final List<ApiVersionsResponse.ApiVersion> ranges;
  private final Features features;

  ApiVersions(List<ApiVersionsResponse.ApiVersion> ranges, Features features) {
    this.ranges = ranges;
    this.features = features;
  }

  static ApiVersionsResponse.ApiVersion range(ApiKey key, int lowest, int highest) {
    ApiVersionsResponse.ApiVersion range = new ApiVersionsResponse.ApiVersion();
    range.apiKey = (short) key.id();
    range.minVersion = (short) lowest;
    range.maxVersion = (short) highest;
    return range;
  }

  /**
   * The lowest version to show. Produce shows 0, as Kafka does: librdkafka looks for compression
   * support in the versions before those that are really served (KIP-896).
   */
  static int shown(ApiKey key, int lowestServed) {
    return key == ApiKey.PRODUCE ? 0 : lowestServed;
  }

  ApiVersionsResponse answer(RequestContext context, ApiVersionsRequest request) {
    ApiVersionsResponse response = new ApiVersionsResponse();
    if (context.apiVersion() >= 3 && !namesItself(request)) {
      response.errorCode = WireError.INVALID_REQUEST.code();
      return response;
    }
    response.apiKeys = ranges;
    for (Feature feature : features.supported().values()) {
      if (feature.lowest() > 0 || context.apiVersion() >= FIRST_WITH_LEVEL_0) {
        ApiVersionsResponse.SupportedFeatureKey supported =
            new ApiVersionsResponse.SupportedFeatureKey();
        supported.name = feature.name();
        supported.minVersion = (short) feature.lowest();
        supported.maxVersion = (short) feature.highest();
        response.supportedFeatures.add(supported);
      }
    }
    Features.Levels levels = features.levels();
    for (Map.Entry<String, Integer> level : levels.byName().entrySet()) {
      ApiVersionsResponse.FinalizedFeatureKey finalized =
          new ApiVersionsResponse.FinalizedFeatureKey();
      finalized.name = level.getKey();
      finalized.minVersionLevel = level.getValue().shortValue();
      finalized.maxVersionLevel = level.getValue().shortValue();
      response.finalizedFeatures.add(finalized);
    }
    response.finalizedFeaturesEpoch = levels.epoch();
    return response;
  }

  /** For a client that speaks a newer ApiVersions than exists here. */
  ApiVersionsResponse refusal() {
    ApiVersionsResponse response = new ApiVersionsResponse();
    response.errorCode = WireError.UNSUPPORTED_VERSION.code();
    for (ApiVersionsResponse.ApiVersion range : ranges) {
      if (range.apiKey == ApiKey.API_VERSIONS.id()) {
        response.apiKeys.add(range);
      }
    }
    return response;
  }

  private static boolean namesItself(ApiVersionsRequest request) {
    return SOFTWARE_NAME.matcher(request.clientSoftwareName).matches()
        && SOFTWARE_NAME.matcher(request.clientSoftwareVersion).matches();
  }
}
