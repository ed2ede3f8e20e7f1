package api

import (
	"context"
	"errors"
	"net/http"

	"chargeonce/ledger"
)

// kind is how one kind of object is read: T as the books hold it, O as clients
// see it.
type kind[T, O any] struct {
	ids   idKind
	path  string
	owner func(T) string
	find  func(ledger.Reader, string) (T, bool, error)
	page  func(ledger.Reader, string, ledger.Page) ([]T, bool, error)
	show  func(ledger.Reader, T) (O, error)

	// only reads the parameter that narrows a list to a part of it; part reads
	// that. nil: there is none.
	only func(query *params) string
	part func(books ledger.Reader, owner, only string, page ledger.Page) ([]T, bool, error)
}

// get is GET of one object. Another owner's does not exist.
func (k kind[T, O]) get(s *server) handler {
	return func(ctx context.Context, c *call) reply {
		if problem := noQuery(c.r); problem != nil {
			return refuse(problem)
		}
		id := c.r.PathValue("id")
		if !k.ids.plausible(id) {
			return refuse(k.ids.missing())
		}
		var object O
		err := s.Store.View(ctx, func(books ledger.Reader) error {
			thing, found, err := k.find(books, id)
			if err == nil && (!found || k.owner(thing) != c.owner) {
				err = ledger.ErrNotFound
			}
			if err != nil {
				return err
			}
			object, err = k.show(books, thing)
			return err
		})
		if errors.Is(err, ledger.ErrNotFound) {
			return refuse(k.ids.missing())
		}
		if err != nil {
			return s.unreadable(c, err)
		}
		return jsonReply(object)
	}
}

// list is GET of a page of the owner's, newest first. One snapshot holds all of
// it, so that no two of its objects contradict each other.
func (k kind[T, O]) list(s *server) handler {
	return func(ctx context.Context, c *call) reply {
		page, only, problem := pageOf(c.r, k.ids, k.only)
		if problem != nil {
			return refuse(problem)
		}
		list := listObject[O]{Object: "list", URL: k.path}
		err := s.Store.View(ctx, func(books ledger.Reader) error {
			things, more, err := k.read(books, c.owner, only, page)
			if err != nil {
				return err
			}
			list.HasMore, list.Data = more, make([]O, 0, len(things))
			for _, thing := range things {
				object, err := k.show(books, thing)
				if err != nil {
					return err
				}
				list.Data = append(list.Data, object)
			}
			return nil
		})
		if errors.Is(err, ledger.ErrNotFound) {
			return refuse(k.ids.noSuchCursor(page))
		}
		if err != nil {
			return s.unreadable(c, err)
		}
		return jsonReply(list)
	}
}

// read is a page of all that the owner has, or of a part of it.
func (k kind[T, O]) read(books ledger.Reader, owner, only string, page ledger.Page) ([]T, bool, error) {
	if only != "" {
		return k.part(books, owner, only, page)
	}
	return k.page(books, owner, page)
}

// unreadable answers a read that failed.
func (s *server) unreadable(c *call, err error) reply {
	s.Log.Warn("read failed", "request", c.id, "route", c.route, "error", err.Error())
	return refuse(problemOf(err))
}

func jsonReply(value any) reply {
	return reply{status: http.StatusOK, header: map[string]string{"Content-Type": typeJSON}, body: mustJSON(value)}
}
