/** What real consumers see of groups; one text, asked of Fencepost and of Apache Kafka. */
@NullMarked
package io.fencepost.testkit.groups;

import org.jspecify.annotations.NullMarked;
