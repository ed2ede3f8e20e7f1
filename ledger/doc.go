// Package ledger keeps double-entry books of card charges, and makes each
// charge once: the idempotency record, the charge and its postings are written
// by one transaction, and the card provider is called between two of them.
package ledger
