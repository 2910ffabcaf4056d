package io.fencepost.broker.api;

import io.fencepost.broker.cluster.BrokerMetadata;
import io.fencepost.broker.cluster.Features;
import io.fencepost.broker.cluster.TopicResult;
import io.fencepost.broker.wire.WireError;
import io.fencepost.broker.wire.message.UpdateFeaturesRequest;
import io.fencepost.broker.wire.message.UpdateFeaturesRequest.FeatureUpdateKey;
import io.fencepost.broker.wire.message.UpdateFeaturesResponse;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * UpdateFeatures, v0 to v2 (KIP-584): moves the finalised level of features up or down, all that
 * are asked for or none. Level 0 takes a feature out. The level is shown by ApiVersions, where
 * clients look it up: transaction.version below 2 makes newer producers talk as the old ones do.
 *
 * <ul>
 *   <li>what cannot be done: INVALID_UPDATE_VERSION for the request, with the first reason
 *   <li>the controller is not reached: NOT_CONTROLLER
 *   <li>v0 and v1 list the features of a request that went well; v0 only goes up (Kafka ignores its
 *       flag for downgrades, too); v1 asks for the direction, and may only want to know (dry run);
 *       v2 has one answer for all
 * </ul>
 */
public final class UpdateFeatures
    implements ApiHandler<UpdateFeaturesRequest, UpdateFeaturesResponse> {
  private static final int FIRST_WITH_DIRECTION = 1;
  private static final int FIRST_WITHOUT_RESULTS = 2;
  private static final int UPGRADE = 1;
  private static final int SAFE_DOWNGRADE = 2;
  private static final int UNSAFE_DOWNGRADE = 3;

  private final BrokerMetadata cluster;
  private final Features features;

  /**
   * @param features of the whole cluster
   */
  public UpdateFeatures(BrokerMetadata cluster, Features features) {
    this.cluster = cluster;
    this.features = features;
  }

  @Override
  public void handle(
      RequestContext context, UpdateFeaturesRequest request, Reply<UpdateFeaturesResponse> reply) {
    boolean hasDirection = context.apiVersion() >= FIRST_WITH_DIRECTION;
    UpdateFeaturesResponse response = new UpdateFeaturesResponse();
    TopicResult refusal = cluster.refusal("");
    if (refusal != null) {
      response.errorCode = refusal.error().code();
      response.errorMessage = refusal.message();
      reply.send(response);
      return;
    }
    List<Features.Change> changes = new ArrayList<>();
    for (FeatureUpdateKey update : request.featureUpdates) {
      Features.Direction direction = direction(update, hasDirection);
      if (direction == null) {
        refuse(response, update.feature + ": there is no upgrade type " + update.upgradeType);
        reply.send(response);
        return;
      }
      changes.add(new Features.Change(update.feature, update.maxVersionLevel, direction));
    }
    String problem = features.change(changes, request.validateOnly);
    if (problem != null) {
      refuse(response, problem);
      reply.send(response);
      return;
    }
    response.errorMessage = null;
    if (context.apiVersion() < FIRST_WITHOUT_RESULTS) {
      for (FeatureUpdateKey update : request.featureUpdates) {
        UpdateFeaturesResponse.UpdatableFeatureResult result =
            new UpdateFeaturesResponse.UpdatableFeatureResult();
        result.feature = update.feature;
        result.errorMessage = "NONE";
        response.results.add(result);
      }
    }
    reply.send(response);
  }

  private static Features.@Nullable Direction direction(
      FeatureUpdateKey update, boolean hasDirection) {
    if (!hasDirection) {
      return Features.Direction.UP;
    }
    return switch (update.upgradeType) {
      case UPGRADE -> Features.Direction.UP;
      case SAFE_DOWNGRADE -> Features.Direction.DOWN;
      case UNSAFE_DOWNGRADE -> Features.Direction.DOWN_AT_ANY_PRICE;
      default -> null;
    };
  }

  private static void refuse(UpdateFeaturesResponse response, String why) {
    response.errorCode = WireError.INVALID_UPDATE_VERSION.code();
    response.errorMessage = "No feature was updated: " + why;
  }
}
