package io.fencepost.streams.operators;

import io.fencepost.streams.EffectKey;
import io.fencepost.streams.Message;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Headers;

/** Gives each message a header with an effect key of its own. */
public final class KeyStamping<K, V> extends Operating<K, V, K, V> {
  @Override
  public void process(Message<K, V> input) {
    byte[] key = context().effectKey().toString().getBytes(StandardCharsets.UTF_8);
    Headers headers = context().message(input.key(), input.value(), 0).headers();
    input.headers().forEach(headers::add);
    headers.remove(EffectKey.HEADER).add(EffectKey.HEADER, key);
    context().emit(input.withHeaders(headers));
  }
}
