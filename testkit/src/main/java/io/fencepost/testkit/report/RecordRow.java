package io.fencepost.testkit.report;

import org.jspecify.annotations.Nullable;

/**
 * What became of the records that were to be written. What nobody counted is null.
 *
 * @param what a topic or a run
 * @param intended records that were to be sent, each counted once
 * @param sent those that were acknowledged
 * @param failed those that are not in the log, as far as their sender knows
 * @param unknown those whose sender got no answer
 * @param logDelta how many offsets the log grew, markers included
 * @param duplicates copies of a value beyond its first
 * @param readsDropped answers that were lost on their way, by a fault
 */
public record RecordRow(
    String what,
    @Nullable Long intended,
    long sent,
    long failed,
    long unknown,
    @Nullable Long logDelta,
    @Nullable Long duplicates,
    @Nullable Long readsDropped) {}
