package components

// keyRow is one line of the legend of keys.
type keyRow struct{ cap, text string }

// keyRows are the keys that lessons know, as the buttons' data-keys spell them.
var keyRows = []keyRow{
	{"PgDn", "next step; Space too, while no button has the focus"},
	{"PgUp", "one step back; from a moment, back to the telling"},
	{"1–4", "answer the question; PgDn goes on either way"},
	{"S", "one event on; the arrows go on and back"},
	{"P", "play the recording from here, or pause it"},
	{"V", "curtain: what the client cannot see, money included"},
	{"U", "both sides, naive alone, safe alone"},
	{".", "blank the screen; b too"},
	{"R", "make a new run of this lesson; the one before keeps its address"},
	{"E", "export: one page that plays the run by itself"},
	{"?", "this list"},
}

// panelKeys are the keys of free play.
var panelKeys = []keyRow{
	{"G", "deliver what is held"},
	{"D", "drop it: its client is reset"},
	{"K", "kill -9 its process (hold the key)"},
	{"S", "step: deliver it and hold it at the next gate"},
	{"Esc", "disarm everything and deliver what is held; close a sheet first"},
	{"V", "curtain: what the client cannot see, money included"},
	{"U", "both sides, naive alone, safe alone"},
	{"P", "pause the picture; what happens meanwhile is shown afterwards"},
	{".", "blank the screen; b too"},
	{"R", "reset: fresh books and records; for 10 s there is a button to undo it"},
	{"E", "export what the panel shows"},
	{"?", "this list"},
}
