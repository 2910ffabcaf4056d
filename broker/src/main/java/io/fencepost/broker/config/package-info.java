/** Settings under Kafka's own key names: typed, checked, documented. */
@NullMarked
package io.fencepost.broker.config;

import org.jspecify.annotations.NullMarked;
