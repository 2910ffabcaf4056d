/**
 * What a run or a proof came to, as one page: the verdict and what it covers, a timeline of
 * transactions and faults, how far each log was, what was broken, and the tables.
 */
@NullMarked
package io.fencepost.testkit.report;

import org.jspecify.annotations.NullMarked;
