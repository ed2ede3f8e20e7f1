package ledger

// checkIntents holds an owner's intents against the charges that carry them
// out, which come newest first. Each confirmation has made one, and only the
// latest may be anything but declined: an intent is never paid twice.
func (a *audit) checkIntents(owner string, carriers map[string][]Charge) error {
	err := each(a.r.Intents, owner, func(i Intent) error {
		a.checkIntent(i, carriers[i.ID])
		delete(carriers, i.ID)
		return nil
	})
	for id, charges := range carriers {
		a.breach(charges[0].ID, "carries out the intent %s, which is not there", id)
	}
	return err
}

func (a *audit) checkIntent(i Intent, charges []Charge) {
	latest := ""
	for n, c := range charges {
		switch {
		case n == 0:
			latest = c.ID
		case c.Status != Failed:
			a.breach(i.ID, "was confirmed again as %s, although %s is %s", latest, c.ID, c.Status)
		}
		if c.Amount != i.Amount || c.Currency != i.Currency {
			a.breach(i.ID, "is not what its charge %s carries out", c.ID)
		}
	}
	if i.Charge != latest {
		a.breach(i.ID, "names the charge %q, but %q carries it out", i.Charge, latest)
	}
}
