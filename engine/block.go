package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// The operator can shut out a person or a server. What they have done stays;
// they are answered with one line, and a server gets no posts.

// blocked is what the operator said of an account or a server.
type blocked struct {
	Platform string `cbor:"1,keyasint"`
	ID       string `cbor:"2,keyasint"`
	Server   bool   `cbor:"3,keyasint,omitempty"`
	Why      string `cbor:"4,keyasint,omitempty"`
	At       int64  `cbor:"5,keyasint"` // Unix seconds
}

// Blocked is a person or a server that is shut out.
type Blocked struct {
	Platform string    `json:"platform"`
	ID       string    `json:"id"` // the platform's own
	Server   bool      `json:"server,omitempty"`
	Why      string    `json:"why,omitempty"`
	At       time.Time `json:"at"`
}

// blockedKeys are the keys of all that is shut out. A published map is never
// changed.
type blockedKeys map[string]bool

func (b Blocked) key(secret []byte) []byte {
	if b.Server {
		return keyBlock(keyPlace(secret, Place{Platform: b.Platform, Server: b.ID}))
	}
	return keyBlock(keyAccount(secret, b.Platform, b.ID))
}

// shutOutOf reports whether the sender of an Input, or its server, is blocked.
func (e *Engine) shutOutOf(in Input) bool {
	all := *e.blocks.Load()
	if len(all) == 0 {
		return false
	}
	who := Blocked{Platform: in.From.Platform, ID: in.From.ID}
	where := Blocked{Platform: in.In.Platform, ID: in.In.Server, Server: true}
	return all[string(who.key(e.secret))] || !in.In.Private() && all[string(where.key(e.secret))]
}

func (e *Engine) loadBlocks(ctx context.Context) error {
	all := blockedKeys{}
	list, err := e.Blocks(ctx)
	for _, b := range list {
		all[string(b.key(e.secret))] = true
	}
	e.blocks.Store(&all)
	return err
}

// Blocks lists who is shut out.
func (e *Engine) Blocks(ctx context.Context) (list []Blocked, err error) {
	err = e.store.View(ctx, func(tx Tx) error {
		list = nil
		return eachBelow(tx, keyBlock(nil), func(r Record) error {
			var b blocked
			if _, err := decode(r.Value, &b); err != nil {
				return err
			}
			list = append(list, Blocked{b.Platform, b.ID, b.Server, b.Why, time.Unix(b.At, 0).UTC()})
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read who is blocked: %w", err)
	}
	return list, nil
}

// ErrNotBlocked says that there is nothing to take back.
var ErrNotBlocked = errors.New("is not blocked")

// Block shuts a person or a server out.
func (e *Engine) Block(ctx context.Context, b Blocked) error {
	err := e.store.Update(ctx, func(tx Tx) error {
		rec := blocked{b.Platform, b.ID, b.Server, b.Why, b.At.Unix()}
		if err := put(tx, b.key(e.secret), rec); err != nil {
			return err
		}
		return e.ofServer(tx, b, func(s *scheduling) error {
			if s.space.State != stateOn {
				return nil
			}
			return s.suspend(whyBlocked)
		})
	})
	if err != nil {
		return fmt.Errorf("block: %w", err)
	}
	e.republish(b, true)
	return nil
}

// Unblock takes a Block back. A server's daily that it had stopped goes on.
func (e *Engine) Unblock(ctx context.Context, b Blocked) error {
	err := e.store.Update(ctx, func(tx Tx) error {
		vals, err := tx.Get(b.key(e.secret))
		if err != nil {
			return err
		}
		if vals[0] == nil {
			return ErrNotBlocked
		}
		if err := tx.Delete(b.key(e.secret)); err != nil {
			return err
		}
		return e.ofServer(tx, b, func(s *scheduling) error {
			if s.space.State != stateSuspended || s.space.Why != whyBlocked {
				return nil
			}
			s.space.State, s.space.Why = stateOn, ""
			return s.replan()
		})
	})
	if err != nil {
		return fmt.Errorf("unblock: %w", err)
	}
	e.republish(b, false)
	e.nudge()
	return nil
}

// ofServer works on a server's calendar, if b is a server that is known.
func (e *Engine) ofServer(tx Tx, b Blocked, do func(*scheduling) error) error {
	if !b.Server {
		return nil
	}
	vals, err := tx.Get(keyPlace(e.secret, Place{Platform: b.Platform, Server: b.ID}))
	if err != nil || vals[0] == nil {
		return err
	}
	id, s := ID(slices.Clone(vals[0])), space{}
	if _, err := get(tx, keySpace(id), &s); err != nil {
		return err
	}
	return do(&scheduling{e: e, tx: tx, id: id, space: &s, now: b.At})
}

func (e *Engine) republish(b Blocked, on bool) {
	for {
		was := e.blocks.Load()
		all := maps.Clone(*was)
		delete(all, string(b.key(e.secret)))
		if on {
			all[string(b.key(e.secret))] = true
		}
		if e.blocks.CompareAndSwap(was, &all) {
			return
		}
	}
}
