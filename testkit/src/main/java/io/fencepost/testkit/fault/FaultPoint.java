package io.fencepost.testkit.fault;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * A named moment at which something can be broken. The same name means the same moment in the
 * proxy, in a cluster of one process and in a job.
 */
public final class FaultPoint implements Comparable<FaultPoint> {
  private final String name;
  private final Place place;
  private final String description;
  private final Set<FaultKind> kinds;

  /** Where a point is passed. */
  public enum Place {
    /** A request of that kind has arrived at a broker, and is not done yet. */
    WIRE("requests"),
    /** A step of a broker. */
    BROKER("steps of a broker"),
    /** A step of a job's worker. */
    JOB("steps of a job");

    private final String label;

    Place(String label) {
      this.label = label;
    }

    /** For headings. */
    public String label() {
      return label;
    }
  }

  FaultPoint(String name, Place place, String description) {
    this.name = name;
    this.place = place;
    this.description = description;
    this.kinds = kindsAt(place);
  }

  private static Set<FaultKind> kindsAt(Place place) {
    EnumSet<FaultKind> kinds = EnumSet.of(FaultKind.DELAYED);
    if (place == Place.WIRE) {
      kinds.addAll(EnumSet.range(FaultKind.REQUEST_LOST, FaultKind.ANSWERED));
    } else {
      kinds.add(FaultKind.FAILED);
    }
    for (FaultKind kind : FaultKind.values()) {
      if (kind.isAct()) {
        kinds.add(kind);
      }
    }
    return Collections.unmodifiableSet(kinds);
  }

  /** As it stands in plans. */
  public String name() {
    return name;
  }

  /** Where it is passed. */
  public Place place() {
    return place;
  }

  /** Which moment it is. */
  public String description() {
    return description;
  }

  /** What may be done there, in the order of {@link FaultKind}. */
  public Set<FaultKind> kinds() {
    return kinds;
  }

  @Override
  public int compareTo(FaultPoint other) {
    int byPlace = place.compareTo(other.place);
    return byPlace == 0 ? name.compareTo(other.name) : byPlace;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FaultPoint point && point.name.equals(name);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }

  @Override
  public String toString() {
    return name;
  }
}
