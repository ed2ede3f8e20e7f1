// Package badgerdb runs transactions on Badger in the one way that a ledger
// can trust: one runner, one writer at a time, durable before it returns, and
// a full stop when the outcome of a commit cannot be known.
//
// # What a caller may rely on
//
// [DB.Update] is all or nothing, and when it returns nil the rows have been
// synced: a process killed in the next instant still has them. The function
// given to it may run more than once, so no call, event or log line may leave
// it.
//
// A commit that fails in the middle is ambiguous: Badger may show rows in
// memory that never reached the disk. From then on nothing is read or written
// any more, every call returns [ErrOutcomeUnknown], and the owner of the
// process, told by [DB.Failed], should exit. The store that opens again is the
// truth.
//
// # Layout of keys
//
// A key is an ASCII prefix and parts joined by '/'. Sequence numbers are eight
// bytes, big-endian, so that the order of the bytes is the order of the
// numbers. Whatever a client chose is hashed, never raw next to a separator.
// This package itself owns one prefix:
//
//	k/OWNER/HEX    the idempotency record of a key; HEX is its SHA-256
package badgerdb
