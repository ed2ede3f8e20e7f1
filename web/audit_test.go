package web

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/ledger/badgerdb"
	"chargeonce/ledger/ledgertest"
)

// keep makes books in a data folder, as an API process leaves them: a charge
// that succeeded, a refund of it, and one that nobody knows about.
func keep(t *testing.T, data string, spoil func(tx ledger.Tx, charge ledger.Charge) error) {
	t.Helper()
	store, err := ledger.OpenBadger(badgerdb.Options{Dir: filepath.Join(data, "ledger")})
	if err != nil {
		t.Fatal(err)
	}
	cards := &ledgertest.Provider{}
	l, err := ledger.New(ledger.Options{Store: store, Provider: cards})
	if err != nil {
		t.Fatal(err)
	}
	request := ledger.ChargeRequest{
		Key: idem.Key{Owner: "shop", Value: "k"}, Fingerprint: idem.Fingerprint{Sum: "v1:00"}, Amount: 5000, Currency: "eur", Card: "tok_visa",
	}
	paid, err := l.Charge(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	refund := ledger.RefundRequest{Key: idem.Key{Owner: "shop", Value: "r"}, Fingerprint: idem.Fingerprint{Sum: "v1:01"}, Charge: paid.Charge, Amount: 2000}
	if _, err := l.Refund(t.Context(), refund); err != nil {
		t.Fatal(err)
	}
	cards.Script(ledgertest.Act{Silent: true})
	request.Key.Value = "unknown"
	if _, err := l.Charge(t.Context(), request); err == nil {
		t.Fatal("the provider spoke")
	}
	err = store.Update(t.Context(), func(tx ledger.Tx) error {
		charge, _, err := tx.Charge(paid.Charge)
		if err != nil || spoil == nil {
			return err
		}
		return spoil(tx, charge)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

// auditing runs the command to its end.
func auditing(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = Run(t.Context(), append([]string{"audit"}, args...), strings.NewReader(""), &out, &err, fstest.MapFS{})
	return code, out.String(), err.String()
}

func TestAuditFindsNothingInHonestBooks(t *testing.T) {
	data := t.TempDir()
	keep(t, data, nil)
	for range 2 { // a look changes nothing
		code, stdout, stderr := auditing(t, "--data", data)
		if code != exitOK || stdout != "breaches: 0, charges: 2, owners: 1\n" {
			t.Errorf("exit code %d, printed %q, %q", code, stdout, stderr)
		}
	}
}

func TestAuditNamesWhatIsWrongAndFails(t *testing.T) {
	data := t.TempDir()
	var id string
	keep(t, data, func(tx ledger.Tx, charge ledger.Charge) error {
		id, charge.AmountRefunded = charge.ID, 3000
		return tx.PutCharge(charge)
	})
	code, stdout, stderr := auditing(t, "--data", data)
	if code != exitFault || !strings.Contains(stdout, "BREACH "+id+" says that 3000 were refunded") ||
		!strings.Contains(stdout, "breaches: 1, charges: 2") || !strings.Contains(stderr, "contradict") {
		t.Errorf("exit code %d, printed %q, %q", code, stdout, stderr)
	}
}

func TestAuditWantsBooksThatAreThereAndAtRest(t *testing.T) {
	for _, args := range [][]string{{}, {"--data", t.TempDir()}, {"--data", t.TempDir(), "more"}, {"--nonsense"}} {
		if code, _, stderr := auditing(t, args...); code != exitUsage || stderr == "" {
			t.Errorf("%v: exit code %d, %q", args, code, stderr)
		}
	}
	if code, _, stderr := auditing(t, "--help"); code != exitOK || !strings.Contains(stderr, "data") {
		t.Errorf("help: exit code %d, %q", code, stderr)
	}
	data := t.TempDir()
	keep(t, data, nil)
	store, err := ledger.OpenBadger(badgerdb.Options{Dir: filepath.Join(data, "ledger")})
	if err != nil {
		t.Fatal(err)
	}
	code, _, stderr := auditing(t, "--data", data)
	if code != exitFault || !strings.Contains(stderr, "in use") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("running: exit code %d, %q", code, stderr)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}

func TestAStagesFolderLeadsToItsLedgers(t *testing.T) {
	data := t.TempDir()
	keep(t, filepath.Join(data, "safe"), nil)
	code, _, stderr := invoke(t, "audit", "--data", data)
	safe := "--data " + filepath.Join(data, "safe")
	if code != exitUsage || !strings.Contains(stderr, safe) || strings.Contains(stderr, "naive") {
		t.Errorf("exit code %d, stderr %q, want a hint at %s alone", code, stderr, safe)
	}
	if _, _, stderr := invoke(t, "audit", "--data", t.TempDir()); strings.Contains(stderr, "stage") {
		t.Errorf("an empty folder is taken for a stage's: %q", stderr)
	}
}
