package io.fencepost.samples.cli.dump;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Keys and values as text: as they are if they are text, else as hex digits after 0x. */
final class Content {
  private Content() {}

  static @Nullable String of(@Nullable ByteBuffer bytes) {
    if (bytes == null) {
      return null;
    }
    try {
      String text =
          StandardCharsets.UTF_8
              .newDecoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .decode(bytes.duplicate())
              .toString();
      if (text.chars().noneMatch(c -> Character.isISOControl(c) && c != '\t' && c != '\n')) {
        return text;
      }
    } catch (CharacterCodingException binary) {
      return hex(bytes);
    }
    return hex(bytes);
  }

  private static String hex(ByteBuffer bytes) {
    byte[] raw = new byte[bytes.remaining()];
    bytes.duplicate().get(raw);
    return "0x" + HexFormat.of().formatHex(raw);
  }
}
