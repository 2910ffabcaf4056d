package io.fencepost.broker.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.broker.port.Bytes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class WireReaderTest {

  @Test
  void a_varint_of_32_bits_is_read_and_one_bit_more_is_refused() {
    assertThat(reader(0xff, 0xff, 0xff, 0xff, 0x0f).readUnsignedVarint("f")).isEqualTo(-1);
    assertThat(reader(0x80, 0x01).readUnsignedVarint("f")).isEqualTo(128);
    assertThatThrownBy(() -> reader(0xff, 0xff, 0xff, 0xff, 0x1f).readUnsignedVarint("f"))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("32 bits");
    assertThatThrownBy(() -> reader(0x80, 0x80, 0x80, 0x80, 0x80, 0).readUnsignedVarint("f"))
        .isInstanceOf(WireException.class);
  }

  @Test
  void an_error_names_field_and_position() {
    WireReader in = reader(0, 7, 1);
    assertThat(in.readInt16("first")).isEqualTo((short) 7);
    assertThatThrownBy(() -> in.readInt32("Topic.partition"))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("Topic.partition")
        .hasMessageContaining("position 2");
  }

  @Test
  void a_length_beyond_the_buffer_or_below_null_is_refused() {
    assertThatThrownBy(() -> reader(0x7f, 0xff, 0xff, 0xff).readBytes(false, "f"))
        .isInstanceOf(WireException.class);
    assertThatThrownBy(() -> reader(0xff, 0xff, 0xff, 0xfe).readNullableBytes(false, "f"))
        .isInstanceOf(WireException.class);
    assertThatThrownBy(() -> reader(0xff, 0xff, 0xff, 0xff, 0x0f).readNullableBytes(true, "f"))
        .isInstanceOf(WireException.class);
    assertThatThrownBy(() -> reader(0xff, 0xfe, 0).readNullableString(false, "f"))
        .isInstanceOf(WireException.class);
    assertThatThrownBy(() -> reader(0, 0, 0, 5, 0, 0).readRecords(false, "f"))
        .isInstanceOf(WireException.class);
  }

  @Test
  void null_is_minus_one_or_compact_zero_and_refused_where_a_value_must_be() {
    assertThat(reader(0xff, 0xff).readNullableString(false, "f")).isNull();
    assertThat(reader(0).readNullableString(true, "f")).isNull();
    assertThat(reader(0xff, 0xff, 0xff, 0xff).readNullableRecords(false, "f")).isNull();
    assertThat(reader(0).readNullableArrayLength(true, 1, "f")).isEqualTo(-1);
    assertThatThrownBy(() -> reader(0).readString(true, "f")).isInstanceOf(WireException.class);
    assertThatThrownBy(() -> reader(0).readBytes(true, "f")).isInstanceOf(WireException.class);
    assertThatThrownBy(() -> reader(0).readRecords(true, "f")).isInstanceOf(WireException.class);
    assertThatThrownBy(() -> reader(0).readArrayLength(true, 1, "f"))
        .isInstanceOf(WireException.class);
  }

  @Test
  void an_array_may_not_count_more_elements_than_the_bytes_left_can_hold() {
    assertThat(reader(3, 0, 0, 0, 0, 0, 0, 0, 0).readArrayLength(true, 4, "f")).isEqualTo(2);
    assertThatThrownBy(() -> reader(4, 0, 0, 0, 0, 0, 0, 0, 0).readArrayLength(true, 4, "f"))
        .isInstanceOf(WireException.class);
    assertThatThrownBy(() -> reader(0x7f, 0xff, 0xff, 0xff).readArrayLength(false, 16, "f"))
        .isInstanceOf(WireException.class);
  }

  @Test
  void text_is_utf_8_from_heap_and_direct_memory_and_anything_else_is_refused() {
    byte[] text = "grün 漢 🙂".getBytes(StandardCharsets.UTF_8);
    ByteBuffer direct = ByteBuffer.allocateDirect(text.length + 1);
    direct.put((byte) (text.length + 1)).put(text).flip();
    assertThat(new WireReader(direct).readString(true, "f")).isEqualTo("grün 漢 🙂");
    byte[] heap = new byte[text.length + 1];
    direct.get(heap);
    assertThat(new WireReader(ByteBuffer.wrap(heap)).readString(true, "f")).isEqualTo("grün 漢 🙂");
    assertThatThrownBy(() -> reader(3, 0xc3, 0x28).readString(true, "f"))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("UTF-8");
    assertThatThrownBy(() -> reader(2, 0xc3).readString(true, "f"))
        .as("cut inside a character")
        .isInstanceOf(WireException.class);
  }

  @Test
  void records_are_a_slice_of_the_buffer_not_a_copy() {
    byte[] bytes = {9, 3, 1, 2};
    WireReader in = new WireReader(ByteBuffer.wrap(bytes, 1, 3));
    Bytes records = in.readRecords(true, "f");
    bytes[2] = 42;
    assertThat(records.toBuffer().get()).isEqualTo((byte) 42);
    assertThat(in.remaining()).isZero();
  }

  @Test
  void an_unknown_tag_is_skipped_and_one_longer_than_the_message_is_refused() {
    WireReader in = reader(2, 5, 2, 8, 8, 9, 0, 77);
    in.skipTags();
    assertThat(in.readInt8("next")).isEqualTo((byte) 77);
    assertThatThrownBy(() -> reader(1, 5, 9, 0).skipTags()).isInstanceOf(WireException.class);
    assertThatThrownBy(() -> reader(0xff, 0xff, 0xff, 0xff, 0x0f).skipTags())
        .isInstanceOf(WireException.class);
  }

  @Test
  void the_value_of_a_tag_can_not_be_read_past_its_end_nor_left_half_read() {
    WireReader in = reader(2, 1, 1, 1);
    int outer = in.enterTag(0, "S");
    assertThatThrownBy(() -> in.readInt32("f")).isInstanceOf(WireException.class);
    assertThat(in.readInt8("f")).isEqualTo((byte) 1);
    assertThatThrownBy(() -> in.leaveTag(outer, 0, "S")).isInstanceOf(WireException.class);
  }

  private static WireReader reader(int... bytes) {
    ByteBuffer buffer = ByteBuffer.allocate(bytes.length);
    for (int next : bytes) {
      buffer.put((byte) next);
    }
    return new WireReader(buffer.flip());
  }
}
