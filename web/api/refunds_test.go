package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"chargeonce/web/control"
)

// refund is a request for a refund; amount 0: all of it.
func refund(charge, key string, amount int) ask {
	form := url.Values{"charge": {charge}}
	if amount > 0 {
		form.Set("amount", fmt.Sprint(amount))
	}
	return ask{path: pathRefunds, key: key, form: form}
}

func (a answer) refund(t *testing.T) refundObject {
	t.Helper()
	var object refundObject
	if err := json.Unmarshal([]byte(a.body), &object); err != nil || object.Object != "refund" {
		t.Fatalf("%d is not a refund: %v\n%s", a.status, err, a.body)
	}
	return object
}

func (b *bench) readCharge(id string) chargeObject {
	b.t.Helper()
	return b.want(http.StatusOK, ask{method: "GET", path: pathOf(id)}).charge(b.t)
}

func (b *bench) readBalance(owner string) string {
	b.t.Helper()
	return b.want(http.StatusOK, ask{method: "GET", path: pathBalance, owner: owner}).body
}

func TestARefundGivesBackOnceAndReplaysByteEqual(t *testing.T) { // G08
	b := newBench(t, benchOptions{})
	paid := b.want(http.StatusCreated, ask{}).charge(t)
	b.bank.next(move{silent: true}) // the money goes back, the answer is lost
	lost := b.refused(http.StatusServiceUnavailable, CodeOutcomeUnknown, refund(paid.ID, "r", 4000))
	if !strings.Contains(lost.Detail, "refund may have gone through") || strings.Contains(lost.Detail, "payment") || lost.Error.Message != lost.Detail {
		t.Errorf("it says %q", lost.Detail)
	}
	if pending := b.want(http.StatusOK, ask{method: "GET", path: lost.Resource}).refund(t); pending.Status != "pending" {
		t.Errorf("an unknown outcome was made definite: %+v", pending)
	}
	got := b.want(http.StatusCreated, refund(paid.ID, "r", 4000))
	made := got.refund(t)
	if made.Amount != 4000 || made.Charge != paid.ID || made.Status != "succeeded" || made.Currency != "eur" {
		t.Errorf("%+v", made)
	}
	if got.header.Get("Location") != pathRefunds+"/"+made.ID || lost.Resource != pathRefunds+"/"+made.ID {
		t.Errorf("the refund is at %q, and was at %q", got.header.Get("Location"), lost.Resource)
	}
	again := b.want(http.StatusCreated, refund(paid.ID, "r", 4000))
	if again.header.Get("Original-Request") != got.header.Get("Request-Id") { // and not the one that learned nothing
		t.Errorf("Original-Request %s, answered by %s", again.header.Get("Original-Request"), got.header.Get("Request-Id"))
	}
	if again.body != got.body || again.header.Get("Idempotent-Replayed") != "true" || again.header.Get("Location") != got.header.Get("Location") {
		t.Errorf("not a replay: %v %s", again.header, again.body)
	}
	if back := b.bank.givenBack("op_cap_" + paid.ID); back != 4000 {
		t.Errorf("%d went back", back)
	}
	if charge := b.readCharge(paid.ID); charge.AmountRefunded != 4000 || charge.Refunded {
		t.Errorf("the charge says %+v", charge)
	}
}

func TestARefundWithoutAnAmountGivesAllThatIsLeft(t *testing.T) {
	b := newBench(t, benchOptions{})
	paid := b.want(http.StatusCreated, ask{}).charge(t)
	b.want(http.StatusCreated, refund(paid.ID, "r1", 1500))
	rest := b.want(http.StatusCreated, refund(paid.ID, "r2", 0)).refund(t)
	if rest.Amount != 3500 {
		t.Errorf("the rest is %d", rest.Amount)
	}
	if charge := b.readCharge(paid.ID); charge.AmountRefunded != 5000 || !charge.Refunded || charge.AmountCaptured != 5000 {
		t.Errorf("%+v", charge)
	}
	want := `{"object":"balance","available":[{"amount":0,"currency":"eur","source_types":{"card":0}}],"livemode":false,"pending":[]}` + "\n"
	if got := b.readBalance("shop"); got != want {
		t.Errorf("balance %s", got)
	}
}

func TestARefundThatTheChargeDoesNotAllowIsStoredAndNeverSent(t *testing.T) { // A22 for refunds
	b := newBench(t, benchOptions{})
	paid := b.want(http.StatusCreated, ask{}).charge(t)
	large := b.refused(http.StatusBadRequest, CodeRefundTooLarge, refund(paid.ID, "r", 5001))
	if large.Error.Param != "amount" || large.Error.Charge != paid.ID || large.Resource != pathOf(paid.ID) {
		t.Errorf("%+v", large)
	}
	again := b.want(http.StatusBadRequest, refund(paid.ID, "r", 5001))
	if again.header.Get("Idempotent-Replayed") != "true" {
		t.Error("the refusal does not replay")
	}
	b.refused(http.StatusConflict, CodeKeyReused, refund(paid.ID, "r", 5000)) // the key is spent on the refusal
	b.want(http.StatusCreated, refund(paid.ID, "r2", 5000))
	b.refused(http.StatusBadRequest, CodeAlreadyRefunded, refund(paid.ID, "r3", 1))
	b.refused(http.StatusBadRequest, CodeAlreadyRefunded, refund(paid.ID, "r4", 0))
	b.bank.next(move{decline: "lost_card"})
	failed := b.refused(http.StatusPaymentRequired, CodeCardDeclined, ask{key: "declined"}).Error.Charge
	b.refused(http.StatusBadRequest, CodeNotRefundable, refund(failed, "r5", 0))
	if calls := len(b.bank.calls("POST")); calls != 3 {
		t.Errorf("the provider had %d operations, want 2 captures and 1 refund", calls)
	}
}

func TestADeclinedRefundIsADefiniteNoAndFreesItsAmount(t *testing.T) {
	b := newBench(t, benchOptions{})
	paid := b.want(http.StatusCreated, ask{}).charge(t)
	b.bank.next(move{decline: "refund_exceeds_capture"})
	no := b.refused(http.StatusPaymentRequired, CodeRefundDeclined, refund(paid.ID, "r", 5000))
	failed := b.want(http.StatusOK, ask{method: "GET", path: no.Resource}).refund(t)
	if failed.Status != "failed" || failed.FailureReason != "declined" || failed.BalanceTransaction != nil {
		t.Errorf("%+v", failed)
	}
	b.want(http.StatusPaymentRequired, refund(paid.ID, "r", 5000))
	if charge := b.readCharge(paid.ID); charge.AmountRefunded != 0 || charge.Refunded {
		t.Errorf("the charge says %+v", charge)
	}
	b.want(http.StatusCreated, refund(paid.ID, "r2", 5000))
}

func TestRefundsAtOnceNeverExceedTheCharge(t *testing.T) { // G05, I6
	b := newBench(t, benchOptions{})
	for round := range 20 {
		form := goodForm()
		form.Set("amount", "100")
		paid := b.want(http.StatusCreated, ask{key: fmt.Sprint("c", round), form: form}).charge(t)
		var statuses [2]int
		var group sync.WaitGroup
		for i := range statuses {
			group.Go(func() {
				got, err := b.try(refund(paid.ID, fmt.Sprint("r", round, "-", i), 60))
				if err != nil {
					t.Error(err)
				}
				statuses[i] = got.status
			})
		}
		group.Wait()
		if statuses != [2]int{201, 400} && statuses != [2]int{400, 201} {
			t.Fatalf("round %d: %v", round, statuses)
		}
		if charge := b.readCharge(paid.ID); charge.AmountRefunded != 60 {
			t.Fatalf("round %d: %d of 100 were refunded", round, charge.AmountRefunded)
		}
	}
}

func TestARefundIsOnlyOfTheOwnersChargeAndTakesNoOddParameter(t *testing.T) { // I4
	b := newBench(t, benchOptions{})
	paid := b.want(http.StatusCreated, ask{}).charge(t)
	foreign := refund(paid.ID, "r", 0)
	foreign.owner = "bob"
	theirs := b.refused(http.StatusNotFound, CodeResourceMissing, foreign)
	none := b.refused(http.StatusNotFound, CodeResourceMissing, refund("ch_none", "r", 0))
	if theirs != none {
		t.Errorf("another owner's charge can be told from none: %v and %v", theirs, none)
	}
	for param, form := range map[string]url.Values{
		"charge":         {"amount": {"1"}},
		"amount":         {"charge": {paid.ID}, "amount": {"0"}},
		"reason":         {"charge": {paid.ID}, "reason": {"no reason"}},
		"payment_intent": {"charge": {paid.ID}, "payment_intent": {"pi_1"}},
		"currency":       {"charge": {paid.ID}, "currency": {"eur"}},
	} {
		got := b.want(http.StatusBadRequest, ask{path: pathRefunds, key: "p", form: form})
		checkDocument(t, got)
		if named := got.doc(t).Error.Param; named != param {
			t.Errorf("%v names %q, want %q", form, named, param)
		}
	}
	b.refused(http.StatusBadRequest, CodeKeyMissing, refund(paid.ID, "-", 0))
	form := url.Values{"charge": {paid.ID}, "reason": {"duplicate"}, "metadata[order]": {"7"}}
	made := b.want(http.StatusCreated, ask{path: pathRefunds, key: "p", form: form}).refund(t) // nothing had claimed the key
	if *made.Reason != "duplicate" || made.Metadata["order"] != "7" {
		t.Errorf("%+v", made)
	}
}

func TestAPendingChargeIsNotRefundedAndItsKeyStaysFree(t *testing.T) {
	b := newBench(t, benchOptions{})
	b.bank.next(move{silent: true})
	lost := b.refused(http.StatusServiceUnavailable, CodeOutcomeUnknown, ask{})
	b.refused(http.StatusServiceUnavailable, CodeChargePending, refund(lost.Error.Charge, "r", 0))
	b.want(http.StatusCreated, ask{}) // the charge's own key settles it
	b.want(http.StatusCreated, refund(lost.Error.Charge, "r", 0))
}

func TestOneKeyNeverReplaysAnotherKindOfAnswer(t *testing.T) { // B02
	b := newBench(t, benchOptions{})
	one := b.want(http.StatusCreated, ask{key: "k"}).charge(t)
	two := b.want(http.StatusCreated, ask{key: "k2"}).charge(t)
	b.refused(http.StatusConflict, CodeKeyReused, refund(one.ID, "k", 0))
	b.want(http.StatusCreated, refund(one.ID, "r", 0))
	if doc := b.refused(http.StatusConflict, CodeKeyReused, refund(two.ID, "r", 0)); doc.Error.Param != "charge" {
		t.Errorf("the conflict names %q", doc.Error.Param)
	}
	b.refused(http.StatusConflict, CodeKeyReused, ask{key: "r"})
}

func TestRefundsAreListedFromTheNewestAndTellTheirEvent(t *testing.T) {
	b := newBench(t, benchOptions{})
	paid := b.want(http.StatusCreated, ask{}).charge(t)
	first := b.want(http.StatusCreated, refund(paid.ID, "r1", 1000)).refund(t).ID
	second := b.want(http.StatusCreated, refund(paid.ID, "r2", 1000)).refund(t).ID
	var list listObject[refundObject]
	got := b.want(http.StatusOK, ask{method: "GET", path: pathRefunds + "?limit=1"})
	if err := json.Unmarshal([]byte(got.body), &list); err != nil || list.URL != pathRefunds || !list.HasMore || len(list.Data) != 1 || list.Data[0].ID != second {
		t.Fatalf("%v %s", err, got.body)
	}
	got = b.want(http.StatusOK, ask{method: "GET", path: pathRefunds + "?starting_after=" + second})
	if err := json.Unmarshal([]byte(got.body), &list); err != nil || list.HasMore || list.Data[0].ID != first {
		t.Errorf("%v %s", err, got.body)
	}
	newest := b.eventPage("", "?limit=1").Data[0]
	var told chargeObject
	if err := json.Unmarshal(newest.Data.Object, &told); err != nil || newest.Type != "charge.refunded" || told.AmountRefunded != 2000 {
		t.Errorf("%v %+v %+v", err, newest, told)
	}
	if *newest.Request.IdempotencyKey != "r2" {
		t.Errorf("the event names the key %q", *newest.Request.IdempotencyKey)
	}
}

func TestTheRefundsOfOneChargeAreListedForItsOwnerAlone(t *testing.T) { // I4
	b := newBench(t, benchOptions{})
	one := b.want(http.StatusCreated, ask{key: "c1"}).charge(t).ID
	two := b.want(http.StatusCreated, ask{key: "c2"}).charge(t).ID
	for i, charge := range []string{one, two, one} {
		b.want(http.StatusCreated, refund(charge, fmt.Sprint("r", i), 1000*(i+1)))
	}
	for query, want := range map[string]string{
		"?charge=" + one: "[3000 1000]", "?charge=" + two: "[2000]", "?charge=ch_none": "[]", "": "[3000 2000 1000]",
		"?limit=1&charge=" + one: "[3000]",
	} {
		if got := b.refundAmounts("shop", query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	if got := b.refundAmounts("bob", "?charge="+one); got != "[]" {
		t.Errorf("another owner sees %s", got)
	}
	b.refused(http.StatusBadRequest, CodeParamInvalid, ask{method: "GET", path: pathRefunds + "?charge=re_1"})
	b.refused(http.StatusBadRequest, CodeParamUnknown, ask{method: "GET", path: pathCharges + "?charge=" + one})
}

func (b *bench) refundAmounts(owner, query string) string {
	b.t.Helper()
	var list listObject[refundObject]
	got := b.want(http.StatusOK, ask{method: "GET", owner: owner, path: pathRefunds + query})
	if err := json.Unmarshal([]byte(got.body), &list); err != nil || list.Data == nil {
		b.t.Fatalf("%v %s", err, got.body)
	}
	amounts := make([]int64, 0, len(list.Data))
	for _, each := range list.Data {
		amounts = append(amounts, each.Amount)
	}
	return fmt.Sprint(amounts)
}

func TestABalanceIsTheOwnersOwnByCurrency(t *testing.T) { // I4
	b := newBench(t, benchOptions{})
	if got := b.readBalance("nobody"); got != `{"object":"balance","available":[],"livemode":false,"pending":[]}`+"\n" {
		t.Errorf("an empty balance: %s", got)
	}
	paid := b.want(http.StatusCreated, ask{owner: "alice"}).charge(t)
	b.want(http.StatusCreated, ask{owner: "alice", key: "j", form: url.Values{"amount": {"500"}, "currency": {"jpy"}, "source": {"tok_visa"}}})
	b.want(http.StatusCreated, ask{owner: "bob"})
	part := refund(paid.ID, "r", 1000)
	part.owner = "alice"
	b.want(http.StatusCreated, part)
	want := `{"object":"balance","available":[{"amount":4000,"currency":"eur","source_types":{"card":4000}},` +
		`{"amount":500,"currency":"jpy","source_types":{"card":500}}],"livemode":false,"pending":[]}` + "\n"
	if got := b.readBalance("alice"); got != want {
		t.Errorf("balance %s", got)
	}
	b.refused(http.StatusUnauthorized, CodeCredentialMissing, ask{method: "GET", path: pathBalance, owner: "-"})
}

func TestTheBooksCountWhatWentBack(t *testing.T) {
	b := newBench(t, benchOptions{})
	paid := b.want(http.StatusCreated, ask{}).charge(t)
	b.want(http.StatusCreated, refund(paid.ID, "r1", 1000))
	b.bank.next(move{decline: "refund_exceeds_capture"})
	b.want(http.StatusPaymentRequired, refund(paid.ID, "r2", 1000)) // gave nothing back
	b.want(http.StatusCreated, refund(paid.ID, "r3", 500))
	var look control.LedgerBooks
	got := b.want(http.StatusOK, ask{method: "GET", path: "/-/books", owner: "-"})
	if err := json.Unmarshal([]byte(got.body), &look); err != nil {
		t.Fatal(err)
	}
	if shop := look.Owners["shop"]; shop.Refunds != 2 || shop.Charges != 1 || shop.Charged["eur"] != 3500 {
		t.Errorf("%+v", shop)
	}
	if owed := look.Balances["owner:shop"]["eur"]; owed != -3500 {
		t.Errorf("the account stands at %d", owed)
	}
}

func TestAnExpiredResultLinksToWhatItsKeyMade(t *testing.T) { // expired-key
	b := newBench(t, benchOptions{})
	paid := b.want(http.StatusCreated, ask{}).charge(t)
	back := b.want(http.StatusCreated, refund(paid.ID, "r", 1000)).refund(t)
	b.refused(http.StatusBadRequest, CodeRefundTooLarge, refund(paid.ID, "r2", 5000))
	made := b.want(http.StatusCreated, intend("pi")).intent(t)
	b.advance(25 * time.Hour)
	for range 2 { // with the answers' bytes, and without them
		for resource, again := range map[string]ask{
			pathOf(paid.ID): {}, pathOf(back.ID): refund(paid.ID, "r", 1000), pathOf(made.ID): intend("pi"),
		} {
			if doc := b.refused(http.StatusConflict, CodeResultExpired, again); doc.Resource != resource {
				t.Errorf("the result is said to be at %q, want %q", doc.Resource, resource)
			}
			b.want(http.StatusOK, ask{method: "GET", path: resource})
		}
		if doc := b.refused(http.StatusConflict, CodeResultExpired, refund(paid.ID, "r2", 5000)); doc.Resource != pathOf(paid.ID) {
			t.Errorf("a refund that was never made is said to be at %q", doc.Resource)
		}
		if reaped, err := b.ledger.Reap(t.Context()); err != nil || reaped.Keys != 0 {
			t.Fatalf("%+v, %v", reaped, err)
		}
	}
	if calls := len(b.bank.calls("POST")); calls != 2 {
		t.Errorf("the provider had %d operations", calls)
	}
}
