package io.fencepost.wiregen;

import java.util.List;

/**
 * One specification file.
 *
 * @param kind request, response, data, header, coordinator-key or coordinator-value
 * @param apiKey the API's number, or the record type of an internal topic; -1 where there is none
 * @param root the message's own fields
 * @param structs every other struct of the message, inline and common ones alike, flat
 */
record MessageSpec(
    String name,
    String kind,
    int apiKey,
    List<String> listeners,
    Versions versions,
    Versions flexible,
    boolean latestUnstable,
    StructSpec root,
    List<StructSpec> structs) {

  boolean isRequest() {
    return kind.equals("request");
  }

  boolean isResponse() {
    return kind.equals("response");
  }

  boolean isCoordinatorRecord() {
    return kind.startsWith("coordinator-");
  }

  int highestStableVersion() {
    return latestUnstable ? versions.highest() - 1 : versions.highest();
  }
}
