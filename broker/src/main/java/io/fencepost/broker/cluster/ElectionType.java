package io.fencepost.broker.cluster;

/** What kind of leader is asked for; the order is that of the wire protocol. */
public enum ElectionType {
  /** The first replica, if it is in sync. */
  PREFERRED,
  /** Any replica, if nobody leads: what only the former leader had is lost. */
  UNCLEAN
}
