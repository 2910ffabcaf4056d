package io.fencepost.txn.rocks;

import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.Env;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.RocksMemEnv;
import org.rocksdb.WriteBufferManager;

/**
 * Options and the memory that all families share: blocks and write buffers together stay under
 * {@link #MEMORY_BYTES}. Close after the database. Not thread-safe.
 */
final class RocksTuning implements AutoCloseable {
  static final long MEMORY_BYTES = 24L << 20;
  private static final long WRITE_BUFFERS_BYTES = 12L << 20;
  private static final long FAMILY_BUFFER_BYTES = 4L << 20;
  private static final int BLOOM_BITS_PER_KEY = 10;

  private final Cache cache = new LRUCache(MEMORY_BYTES);
  private final WriteBufferManager buffers = new WriteBufferManager(WRITE_BUFFERS_BYTES, cache);
  private final BloomFilter bloom = new BloomFilter(BLOOM_BITS_PER_KEY);
  private final DBOptions database =
      new DBOptions()
          .setCreateIfMissing(true)
          .setCreateMissingColumnFamilies(true)
          .setAtomicFlush(true)
          .setWriteBufferManager(buffers)
          .setInfoLogLevel(InfoLogLevel.ERROR_LEVEL)
          .setKeepLogFileNum(1)
          .setMaxOpenFiles(256)
          .setSkipStatsUpdateOnDbOpen(true)
          .setStatsDumpPeriodSec(0)
          .setStatsPersistPeriodSec(0);
  private final ColumnFamilyOptions family =
      new ColumnFamilyOptions()
          .setWriteBufferSize(FAMILY_BUFFER_BYTES)
          .setTableFormatConfig(
              new BlockBasedTableConfig()
                  .setBlockCache(cache)
                  .setCacheIndexAndFilterBlocks(true)
                  .setFilterPolicy(bloom));

  private @Nullable Env memory;

  /** All files in memory, which go with the database. */
  RocksTuning inMemory() {
    memory = new RocksMemEnv(Env.getDefault());
    database.setEnv(memory);
    return this;
  }

  DBOptions database() {
    return database;
  }

  ColumnFamilyOptions family() {
    return family;
  }

  @Override
  public void close() {
    family.close();
    database.close();
    if (memory != null) {
      memory.close();
    }
    buffers.close();
    bloom.close();
    cache.close();
  }
}
