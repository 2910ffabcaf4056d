package io.fencepost.wiregen;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which messages get a class.
 *
 * @param listener requests of this listener, with their responses
 * @param excludedApis numbers of APIs to leave out
 * @param names messages of other kinds, by name
 * @param coordinatorRecords whether the records of the coordinators' topics are wanted
 * @param excludedPrefixes names that begin like this are left out
 */
record Selection(
    String listener,
    Set<Integer> excludedApis,
    Set<String> names,
    boolean coordinatorRecords,
    List<String> excludedPrefixes) {

  /** The requests wanted, by number. */
  List<MessageSpec> requests(List<MessageSpec> all) {
    return all.stream()
        .filter(MessageSpec::isRequest)
        .filter(spec -> spec.listeners().contains(listener))
        .filter(spec -> !excludedApis.contains(spec.apiKey()))
        .sorted(Comparator.comparingInt(MessageSpec::apiKey))
        .toList();
  }

  /** Everything wanted. */
  List<MessageSpec> messages(List<MessageSpec> all) {
    Set<Integer> apis = new HashSet<>();
    requests(all).forEach(request -> apis.add(request.apiKey()));
    List<MessageSpec> wanted = new ArrayList<>();
    for (MessageSpec spec : all) {
      boolean ofApi = (spec.isRequest() || spec.isResponse()) && apis.contains(spec.apiKey());
      boolean record = coordinatorRecords && spec.isCoordinatorRecord();
      boolean excluded = excludedPrefixes.stream().anyMatch(spec.name()::startsWith);
      if ((ofApi || record || names.contains(spec.name())) && !excluded) {
        wanted.add(spec);
      }
    }
    return wanted;
  }
}
