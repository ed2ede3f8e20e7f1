package stage

// advice is what /help/errors says of a code beyond its title.
type advice struct {
	happened string // and what did not
	do       string
}

// The retries that help, in the same words wherever they do.
const (
	mendIt   = "Mend the request and send it with the same key: nothing has claimed it."
	sameKey  = "Send the same request with the same key, after Retry-After or a backoff with jitter."
	tellUs   = "Do not repeat it. The server’s log says more; it is a bug."
	lookUp   = "Look the id up in a list of this owner’s objects; another owner’s are never shown."
	noRefund = "Do not repeat it. Read the charge for what has been refunded."
)

// advised explains every code that the payments API, the network before it and
// the stage itself can answer. A test holds it against all three.
var advised = map[string]advice{
	// The form of a request. All of these are found before anything is claimed.
	"body_invalid":            {"The body is not the form or the JSON object that Content-Type promises; a name that is given twice counts as invalid too.", mendIt},
	"body_too_large":          {"The body is above the limit. It was not read to its end, and nothing was claimed.", "Send less; metadata is meant for a few short values."},
	"body_timeout":            {"The body did not arrive in time. Nothing was claimed.", "Send the same request again with the same key, on a better line."},
	"body_unreadable":         {"The connection broke while the body was on its way, so the request never went on.", "Send the same request again with the same key."},
	"unsupported_media_type":  {"Content-Type is neither application/x-www-form-urlencoded nor application/json.", mendIt},
	"parameter_missing":       {"A parameter that this call needs is not there; param names it.", mendIt},
	"parameter_unknown":       {"A parameter has a name that this call does not know. It is refused, since a typing error must not change what is paid.", mendIt},
	"parameter_invalid":       {"A parameter has the wrong type, shape or length; param names it.", mendIt},
	"amount_invalid":          {"The amount is not a whole number of minor units from 1 to 99,999,999: €50.00 is 5000.", mendIt},
	"currency_invalid":        {"The currency is not a code of ISO 4217 in lower case.", mendIt},
	"token_invalid":           {"The card is not one of the test tokens.", "Use tok_visa or another test token."},
	"card_number_refused":     {"Something in the request looks like a card number. It was neither logged nor stored.", "Send a test token in its place, never a number."},
	"route_missing":           {"The payments API has nothing at this path.", "Compare the path with the API’s; the base URL ends before /v1."},
	"path_not_found":          {"The network has no wire to this path.", "Paths begin with /v1, at the naive side with /naive/v1."},
	"method_not_allowed":      {"The path exists, but not with this method; Allow lists those that do.", "Use a method that Allow names."},
	"resource_missing":        {"There is no such object, or it belongs to somebody else.", lookUp},
	"idempotency_key_missing": {"A request that moves money came without an Idempotency-Key. Nothing was done.", "Mint one key for the purchase, store it, and send it with every attempt."},
	"idempotency_key_invalid": {"The key was empty, longer than 255 characters, given twice, or had blanks in it.", "Send one header line with 1 to 255 visible ASCII characters."},
	"fault_invalid":           {"The header Chargeonce-Fault orders a fault that does not exist. The request did not go on.", "Mend the header, or leave it out."},

	// Who asks.
	"api_key_missing":  {"The request has no credential. No key was looked up.", "Send sk_test_NAME as the bearer token or as the user name."},
	"api_key_invalid":  {"The credential is not a test key. No key was looked up.", "Send sk_test_ and a name of letters, digits, - and _."},
	"api_key_live":     {"A live key came here. It was refused, and not logged.", "Use a test key, and change the live one: it has left its place."},
	"token_missing":    {"Others can reach this stage, so control calls need its token.", "Open the address that the stage printed when it started, or send the token as a bearer token."},
	"origin_forbidden": {"A page of another origin sent this command.", "Use the stage’s own pages, or a program that sends no Origin."},
	"host_unknown":     {"The request names a host that is not this server’s.", "Use the address that the stage printed, or start it with --host NAME."},

	// The record of a key.
	"idempotency_key_reused":     {"The key belongs to another request: param names what differs. Nothing ran.", "Send the first request again to learn its outcome. A new purchase needs a new key."},
	"idempotency_key_in_use":     {"Another attempt with this key is at work. This one did nothing.", sameKey},
	"idempotency_result_expired": {"The request is done, but its answer is no longer kept. It did not run again.", "Read the result at the path that resource names."},

	// The card, and what became of the money.
	"card_declined":                   {"The card’s bank said no. The answer is final for this key.", "Do not repeat it. Ask for another card, and mint a new key for it."},
	"refund_declined":                 {"The card provider refused the refund for good. No money went back.", "Do not repeat it. Settle the matter outside, or make a new refund with a new key."},
	"amount_too_large":                {"The refund is larger than what is left of the charge. No money went back.", noRefund},
	"charge_already_refunded":         {"All of the charge has been given back.", noRefund},
	"charge_not_refundable":           {"The charge failed, so there is nothing to give back.", noRefund},
	"charge_pending":                  {"Nobody knows yet whether the charge was captured, so it cannot be refunded yet.", sameKey},
	"payment_intent_unexpected_state": {"The payment intent is paid, is being confirmed, or has no card. Nothing was charged.", "Read the intent; its status says what it waits for."},
	"outcome_unknown":                 {"The payment may have gone through. It is not a failure, and not yet a success.", sameKey + " The card provider is asked before anything is sent to it again."},

	// Limits, and servers in trouble.
	"quantity_out_of_range":      {"A cart holds from none to a fixed number of one thing. It is as it was.", "Send a quantity that fits."},
	"cart_full":                  {"The cart has no room for another thing. It is as it was.", "Set another one’s quantity to 0 first."},
	"too_many_carts":             {"The owner has as many carts as are kept.", "Use one that is there, or another owner."},
	"too_many_webhook_endpoints": {"The owner has as many webhook endpoints as are kept.", "Delete one, or use another owner."},
	"rate_limit":                 {"More requests are under way than are taken. This one did nothing.", sameKey},
	"storage_full":               {"The disk is full. Nothing was written and nobody was charged.", sameKey + " Whoever runs the server makes room."},
	"unavailable":                {"The server is starting, stopping or too busy to decide. It has decided nothing.", sameKey},
	"provider_refused":           {"The card provider calls the server’s own request wrong.", tellUs},
	"internal_error":             {"The server failed. What it had begun stays at its recovery point.", "Ask for the key’s record before anything else. The server’s log says more."},
	"nothing_to_undo":            {"No reset can be taken back: none was made, or its ten seconds are over.", "Go on with the books as they are."},
	"run_in_progress":            {"A lesson is running; one runs at a time.", "Wait until it is finished, then start yours."},
}
