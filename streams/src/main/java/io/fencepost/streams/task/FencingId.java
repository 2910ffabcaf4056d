package io.fencepost.streams.task;

/**
 * The transactional id of a worker: stable over restarts, so that a restarted worker fences the one
 * that it replaces, and different for all workers that live at one time, as instances lease their
 * ids.
 */
public record FencingId(String applicationId, String instanceId, int worker) {
  public String transactionalId() {
    return applicationId + "-" + instanceId + "-" + worker;
  }
}
