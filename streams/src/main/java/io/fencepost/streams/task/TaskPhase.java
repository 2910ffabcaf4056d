package io.fencepost.streams.task;

/**
 * Where a task stands.
 *
 * <pre>
 * OPENING   -> RESTORING  store lock taken, input position at the committed offset
 * RESTORING -> RUNNING    every table has passed the end of its changelog
 * RUNNING   -> OPENING    a cycle ended in doubt or was fenced: catch up before going on
 * any       -> CLOSED     partition gone or worker ends
 * </pre>
 */
public enum TaskPhase {
  OPENING,
  RESTORING,
  RUNNING,
  CLOSED
}
