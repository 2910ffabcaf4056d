package io.fencepost.txn.shard;

import io.fencepost.txn.table.Keys;
import io.fencepost.txn.table.ShardTables;
import io.fencepost.txn.table.Table;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;

/** Notes of each key where in the log it stands: what is applied twice or passed over shows. */
final class TallyShard implements Shard {
  private final ShardTables tables;
  boolean hasEnded;

  TallyShard(ShardTables tables) {
    this.tables = tables;
  }

  String offsetsOf(String key) {
    byte[] row = tables.get(Table.GROUPS, Keys.of(key));
    return row == null ? "" : Keys.text(row);
  }

  @Override
  public List<Table> tables() {
    return List.of(Table.GROUPS);
  }

  @Override
  public void load() {}

  @Override
  public void trim() {}

  @Override
  public void end(Consumer<Runnable> later) {
    hasEnded = true;
  }

  @Override
  public void replay(LoggedRecord logged) {
    ByteBuffer key = logged.key();
    if (key != null) {
      byte[] name = new byte[key.remaining()];
      key.get(name);
      String before = offsetsOf(Keys.text(name));
      tables.put(Table.GROUPS, name, Keys.of(before + logged.offset() + " "));
    }
  }

  @Override
  public void replayMarker(LoggedMarker marker) {}
}
