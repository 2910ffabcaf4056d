package io.fencepost.broker.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencepost.broker.port.Bytes;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class WireWriterTest {

  @Test
  void a_region_of_a_file_becomes_a_part_that_nobody_reads() {
    Bytes region = new Region(7);
    WireWriter out = new WireWriter();
    out.writeInt8((byte) 1);
    out.writeRecords(region, true, "f");
    out.writeInt8((byte) 2);
    List<Bytes> parts = out.toParts();
    assertThat(parts).hasSize(3);
    assertThat(parts.get(0).toBuffer()).isEqualTo(ByteBuffer.wrap(new byte[] {1, 8}));
    assertThat(parts.get(1)).isSameAs(region);
    assertThat(parts.get(2).toBuffer()).isEqualTo(ByteBuffer.wrap(new byte[] {2}));
    assertThat(out.sizeBytes()).isEqualTo(10);
  }

  @Test
  void long_records_in_memory_stay_uncopied_and_the_whole_is_in_order() {
    byte[] memory = new byte[1000];
    WireWriter out = new WireWriter();
    out.writeInt16((short) 5);
    out.writeRecords(Bytes.of(ByteBuffer.wrap(memory)), false, "f");
    out.writeInt16((short) 6);
    memory[0] = 9;
    ByteBuffer whole = out.toBuffer();
    assertThat(whole.remaining()).isEqualTo(out.sizeBytes()).isEqualTo(1008);
    assertThat(whole.getInt(2)).isEqualTo(1000);
    assertThat(whole.get(6)).isEqualTo((byte) 9);
    assertThat(whole.getShort(1006)).isEqualTo((short) 6);
  }

  @Test
  void a_tag_holds_values_of_any_size_and_other_tags() {
    for (int size : new int[] {0, 1, 126, 127, 128, 129, 16_383, 16_384, 20_000}) {
      WireWriter out = new WireWriter(16);
      out.writeTagCount(1);
      int outer = out.enterTag(3);
      int inner = out.enterTag(4);
      out.writeBytes(new byte[size], true, "f");
      out.leaveTag(inner);
      out.writeInt8((byte) 7);
      out.leaveTag(outer);
      out.writeInt8((byte) 8);
      WireReader in = new WireReader(out.toBuffer());
      assertThat(in.readTagCount()).isEqualTo(1);
      assertThat(in.readTag()).isEqualTo(3);
      int outerLimit = in.enterTag(3, "S");
      assertThat(in.readTag()).isEqualTo(4);
      int innerLimit = in.enterTag(4, "S");
      assertThat(in.readBytes(true, "f")).hasSize(size);
      in.leaveTag(innerLimit, 4, "S");
      assertThat(in.readInt8("f")).isEqualTo((byte) 7);
      in.leaveTag(outerLimit, 3, "S");
      assertThat(in.readInt8("f")).isEqualTo((byte) 8);
      assertThat(in.remaining()).isZero();
    }
  }

  @Test
  void a_value_that_does_not_fit_is_refused() {
    WireWriter out = new WireWriter();
    assertThatThrownBy(() -> out.writeUint16(-1)).isInstanceOf(WireException.class);
    assertThatThrownBy(() -> out.writeUint16(1 << 16)).isInstanceOf(WireException.class);
    assertThatThrownBy(() -> out.writeUint32(1L << 32)).isInstanceOf(WireException.class);
    assertThatThrownBy(() -> out.writeString("x".repeat(32_768), true, "f"))
        .isInstanceOf(WireException.class);
    assertThatThrownBy(() -> out.writeString(null, true, "Topic.name"))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("Topic.name");
  }

  @Test
  void the_ends_of_every_range_survive_the_trip() {
    WireWriter out = new WireWriter();
    out.writeUint16(0xffff);
    out.writeUint32(0xffff_ffffL);
    out.writeInt64(Long.MIN_VALUE);
    out.writeFloat64(-0.5);
    out.writeBool(true);
    out.writeUnsignedVarint(-1);
    out.writeUuid(new Uuid(1, -2));
    WireReader in = new WireReader(out.toBuffer());
    assertThat(in.readUint16("f")).isEqualTo(0xffff);
    assertThat(in.readUint32("f")).isEqualTo(0xffff_ffffL);
    assertThat(in.readInt64("f")).isEqualTo(Long.MIN_VALUE);
    assertThat(in.readFloat64("f")).isEqualTo(-0.5);
    assertThat(in.readBool("f")).isTrue();
    assertThat(in.readUnsignedVarint("f")).isEqualTo(-1);
    assertThat(in.readUuid("f")).isEqualTo(new Uuid(1, -2));
  }

  private record Region(int sizeBytes) implements Bytes {
    @Override
    public ByteBuffer toBuffer() {
      throw new AssertionError("a region must not be read");
    }
  }
}
