package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"aiprep/content"
)

// A word is a short message to one person's private chat that is not worth
// saying twice: a reminder, or what an admin should know. It goes out at most
// once; after a crash in between it is dropped.

// putWord has a message said in somebody's private chat. of tells words apart:
// a second one of that name for the same time takes the first one's place.
func putWord(tx Tx, due time.Time, kind string, chat ID, of string, j job) error {
	j.Kind, j.Space, j.Due = kind, chat, due.Unix()
	return put(tx, keyJob(due, kind, string(chat)+"/"+of), j)
}

// wordJob says a word: claim, send, forget.
func (r *runner) wordJob(ctx context.Context, key []byte, p Poster) error {
	var d *Delivery
	err := r.update(ctx, key, func(s *scheduling, j job, o occurrence) error {
		d = nil
		m, err := s.wordOf(j, o)
		if err != nil || m == nil || j.State != "" || s.now.Sub(time.Unix(j.Due, 0)) > wordFor {
			return errors.Join(err, s.tx.Delete(key))
		}
		j.State = jobClaimed
		d = &Delivery{Key: string(idFrom(mac(s.e.secret, "word", string(key)))), To: s.space.Place, Message: *m}
		return put(s.tx, key, j)
	})
	if err != nil || d == nil {
		return err
	}
	_, err = p.Post(ctx, *d)
	if ctx.Err() != nil && err != nil {
		return nil
	}
	var pe *PostError
	errors.As(err, &pe)
	r.count("word", d.To.Platform, outcomeOf(err))
	return r.update(context.WithoutCancel(ctx), key, func(s *scheduling, j job, _ occurrence) error {
		if pe != nil && pe.Kind == Later {
			j.State = ""
			if err := s.tx.Delete(key); err != nil {
				return fmt.Errorf("say it later: %w", err)
			}
			return put(s.tx, keyJob(s.now.Add(max(pe.After, time.Second)), j.Kind, string(bytes.SplitN(key, []byte("/"), 4)[3])), j)
		}
		if pe != nil && (pe.Kind == Forbidden || pe.Kind == Gone) {
			if err := s.unsubscribe(); err != nil {
				return err
			}
		}
		return s.tx.Delete(key)
	})
}

// wordFor is how late a word is still worth saying.
const wordFor = 3 * time.Hour

func outcomeOf(err error) string {
	var pe *PostError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &pe):
		return pe.Kind.String()
	}
	return Unknown.String()
}

// wordOf is what a job says, or nil when there is nothing to say any more.
func (s *scheduling) wordOf(j job, o occurrence) (*Message, error) {
	if j.Kind == jobRemind {
		return s.reminder(j, o)
	}
	m := &Message{}
	_, err := decode(j.Body, m)
	return m, err
}

// unsubscribe ends a private daily: who blocks the bot wants none.
func (s *scheduling) unsubscribe() error {
	if !s.space.Place.Private() || s.space.State == "" {
		return nil
	}
	if _, _, err := s.forget(); err != nil {
		return err
	}
	s.space.State, s.space.Why = "", ""
	return s.save()
}

// tellAdmin lets whoever set the daily up know what became of it, if they have
// a private chat with the bot: nobody gets a message who never wrote first.
func (s *scheduling) tellAdmin(what func(*catalogue) content.Text) error {
	if s.space.Admin == "" || s.space.Place.Private() {
		return nil
	}
	var admin person
	if _, err := get(s.tx, keyMe(s.space.Admin), &admin); err != nil {
		return err
	}
	for _, chat := range slices.Backward(admin.Private) {
		var there space
		if _, err := get(s.tx, keySpace(chat), &there); err != nil {
			return err
		}
		if there.Place.Platform != s.space.Place.Platform {
			continue
		}
		c := s.e.in(there.Lang)
		m := &Message{Title: c.say(wAdminTitle), Text: what(c)}
		m.Buttons = [][]Button{{{Label: c.say(wSetupCheck), Action: verbSet + " " + string(s.space.Token) + " " + setupCheck}}}
		raw, err := encode(m)
		if err != nil {
			return err
		}
		if s.put != nil {
			*s.put = true
		}
		return putWord(s.tx, s.now, jobWord, chat, string(s.id), job{Body: raw})
	}
	return nil
}
