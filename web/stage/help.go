package stage

import (
	"net/http"

	"chargeonce/components"
	"chargeonce/web/api"
)

// stageRefusals are the codes that the payments API does not know: the
// network's before it, and those of our own commands.
var stageRefusals = []api.Refusal{
	{Code: "fault_invalid", Status: http.StatusBadRequest, Title: "The header that orders a fault is malformed"},
	{Code: "body_unreadable", Status: http.StatusBadRequest, Title: "The body could not be read to its end"},
	{Code: "token_missing", Status: http.StatusUnauthorized, Title: "The stage’s token is missing"},
	{Code: "origin_forbidden", Status: http.StatusForbidden, Title: "The command came from another origin"},
	{Code: "path_not_found", Status: http.StatusNotFound, Title: "The network knows no such path"},
	{Code: "run_in_progress", Status: http.StatusConflict, Title: "A lesson is running"},
	{Code: "nothing_to_undo", Status: http.StatusConflict, Title: "There is nothing to undo"},
	{Code: "host_unknown", Status: http.StatusMisdirectedRequest, Title: "This server has another name"},
}

func (s *Stage) getHelpPage(w http.ResponseWriter, r *http.Request) {
	s.show(w, r, http.StatusOK, components.HelpPage(page("Help")))
}

// getHelpErrorsPage is where the type of every error document leads.
func (s *Stage) getHelpErrorsPage(w http.ResponseWriter, r *http.Request) {
	s.show(w, r, http.StatusOK, components.ErrorsPage(components.Errors{
		Page: page("Errors"),
		Parts: []components.ErrorPart{
			{Head: "The payments API", Errors: errorEntries(api.Refusals())},
			{Head: "The network and the stage", Errors: errorEntries(stageRefusals)},
		},
	}))
}

func errorEntries(refusals []api.Refusal) []components.ErrorEntry {
	var entries []components.ErrorEntry
	for _, r := range refusals {
		words := advised[string(r.Code)]
		entries = append(entries, components.ErrorEntry{
			Code: string(r.Code), Status: r.Status, Title: r.Title,
			Happened: words.happened, Do: words.do, Retry: r.Retry,
		})
	}
	return entries
}
