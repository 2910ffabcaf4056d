package io.fencepost.streams.rocks;

import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteBufferManager;

/** One cache and one write-buffer budget for all stores of an instance. */
public final class RocksMemory implements AutoCloseable {
  private final Cache cache;
  private final WriteBufferManager writeBuffers;
  private final BloomFilter bloom;
  private final long writeBufferBytes;

  /** Loads the native library, which takes a while, unless it is loaded. */
  public static void load() {
    RocksDB.loadLibrary();
  }

  public RocksMemory(long bytes) {
    load();
    bloom = new BloomFilter(10, false);
    cache = new LRUCache(bytes);
    // Write buffers are charged to the cache, so the two together stay within the cap.
    writeBuffers = new WriteBufferManager(bytes / 2, cache);
    writeBufferBytes = Math.max(1 << 20, bytes / 8);
  }

  DBOptions dbOptions() {
    return new DBOptions()
        .setCreateIfMissing(true)
        .setCreateMissingColumnFamilies(true)
        .setWriteBufferManager(writeBuffers)
        .setMaxOpenFiles(256)
        .setMaxTotalWalSize(4 * writeBufferBytes)
        .setKeepLogFileNum(2)
        .setStatsDumpPeriodSec(0);
  }

  ColumnFamilyOptions tableOptions() {
    BlockBasedTableConfig table =
        new BlockBasedTableConfig()
            .setBlockCache(cache)
            .setFilterPolicy(bloom)
            .setCacheIndexAndFilterBlocks(true)
            .setPinL0FilterAndIndexBlocksInCache(true)
            .setBlockSize(8 << 10)
            .setFormatVersion(5);
    return new ColumnFamilyOptions()
        .setTableFormatConfig(table)
        .setWriteBufferSize(writeBufferBytes)
        .setMemtablePrefixBloomSizeRatio(0.1)
        .setMemtableWholeKeyFiltering(true)
        .setCompressionType(CompressionType.LZ4_COMPRESSION);
  }

  @Override
  public void close() {
    bloom.close();
    writeBuffers.close();
    cache.close();
  }
}
