package badgerdb

import (
	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

// DefaultMinFree is the space, in bytes, below which writes are refused. Badger
// writes through mapped memory, so a full disk does not fail a call but kills
// the process; the reserve covers what memtables and a compaction may still
// write on their own.
const DefaultMinFree = 64 << 20

// Sizes that hang together. A transaction may hold 15 % of the memtable, so a
// memtable of 8 MiB allows about 1.2 MB and 13 000 rows in one commit.
const (
	memTableSize = 8 << 20
	// logSize is what Badger gives to the write-ahead log of a memtable.
	logSize = 2 * memTableSize
	// valueThreshold sends larger values to the value log. It lies above
	// MaxValueSize, so the value log stays empty and needs no collection.
	valueThreshold = 512 << 10
	// blockCacheSize holds uncompressed blocks; Badger insists on a cache where
	// it compresses.
	blockCacheSize = 4 << 20
)

// MaxKeySize is the longest key in bytes. Badger would take 65 000, but no
// layout of ours needs more than a few hundred.
const MaxKeySize = 1 << 10

// MaxValueSize is the largest value in bytes: room for a record whose every part
// is as large as package idem lets it be ([idem.MaxAnswer] in base64 takes
// 235 KiB, its history up to 15), and still less than a quarter of a
// transaction.
const MaxValueSize = 288 << 10

// Options say where the data lives. The zero value is not enough for a store
// on disk: it needs Dir, or InMemory.
type Options struct {
	// Dir is the data directory; it is created with mode 0700. Empty with
	// InMemory.
	Dir string
	// InMemory keeps everything in memory: for tests and demonstrations.
	InMemory bool
	// Log receives Badger's warnings and errors; nil: they are dropped. It must
	// be safe for concurrent use.
	Log func(format string, args ...any)
	// MinFree is the space in bytes that must be left on the disk for a write
	// to be let in; 0: [DefaultMinFree].
	MinFree uint64

	// commit replaces the commit of Badger, so that tests can make it fail.
	commit func(*badger.Txn) error
	// free replaces the look at the file system.
	free func(dir string) (uint64, error)
}

func (o Options) withDefaults() Options {
	if o.MinFree == 0 {
		o.MinFree = DefaultMinFree
	}
	if o.commit == nil {
		o.commit = (*badger.Txn).Commit
	}
	if o.free == nil {
		o.free = freeSpace
	}
	return o
}

func (o Options) badger() badger.Options {
	return badger.DefaultOptions(o.Dir).
		WithInMemory(o.InMemory).
		WithLogger(logger{o.Log}).
		// An answer may leave only after the rows are on disk.
		WithSyncWrites(true).
		// The read of a missing key is the guard of an insert.
		WithDetectConflicts(true).
		WithMemTableSize(memTableSize).
		// What follows is sized for tens of megabytes of data, not for a server's
		// worth; two compactors are the least that Badger allows.
		WithNumMemtables(2).
		WithValueThreshold(valueThreshold).
		WithValueLogFileSize(1 << 20).
		WithNumCompactors(2).
		WithNumLevelZeroTables(2).
		WithNumLevelZeroTablesStall(6).
		WithBaseTableSize(2 << 20).
		WithBaseLevelSize(8 << 20).
		// JSON rows shrink to well under half, and read as fast as without.
		WithCompression(options.Snappy).
		WithBlockCacheSize(blockCacheSize).
		WithMetricsEnabled(false). // they are global to the process
		WithCompactL0OnClose(true)
}
