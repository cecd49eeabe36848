package engine

import (
	"context"
	"errors"
	"fmt"
)

// ErasePerson erases the person behind an account, as a test cannot by itself.
func (e *Engine) ErasePerson(ctx context.Context, u User) error {
	return e.store.Update(ctx, func(tx Tx) error {
		vals, err := tx.Get(keyAccount(e.secret, u.Platform, u.ID))
		if err != nil || vals[0] == nil {
			return err
		}
		return e.erasePerson(tx, ID(vals[0]))
	})
}

// Recount counts a person's streak anew from the first kept date on.
func (e *Engine) Recount(ctx context.Context, u User) (current int, err error) {
	err = e.store.View(ctx, func(tx Tx) error {
		vals, err := tx.Get(keyAccount(e.secret, u.Platform, u.ID))
		if err != nil {
			return err
		}
		var p person
		if _, err := get(tx, keyMe(ID(vals[0])), &p); err != nil {
			return err
		}
		err = p.recount(func(posting) bool { return true }, storedDiary{tx, ID(vals[0])}, nil)
		current = p.Streak.Current
		return err
	})
	return current, err
}

// change reads a record, lets fn alter it and writes it back.
func change[T any](tx Tx, key []byte, fn func(*T)) error {
	var v T
	found, err := get(tx, key, &v)
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("spoil: there is no %s", key)
	}
	fn(&v)
	return put(tx, key, v)
}

// Spoil makes something of every derived kind wrong: of three people who have
// answered dailies and tests, of a server, and of the items.
func (e *Engine) Spoil(ctx context.Context, people []ID, server ID) error {
	return e.store.Update(ctx, func(tx Tx) error {
		var errs []error
		try := func(err error) { errs = append(errs, err) }
		a, b, c := people[0], people[1], people[2]
		try(change(tx, keyMe(a), func(p *person) { p.Answers += 3; p.Right-- }))
		try(change(tx, keyMe(b), func(p *person) { p.Streak.Longest = 99; p.Spaces = nil }))
		try(change(tx, keySkill(a), func(a *abilities) { a.General.M += 1e-6 }))
		try(tx.Delete(keySkill(b)))
		try(change(tx, keySkill(c), func(a *abilities) { a.General.M *= 1 + 1e-13 })) // no difference
		items, err := tx.Scan(keyItem(a, ""), keyItem(a, "z"), 2)
		try(err)
		try(tx.Delete(items[0].Key))
		try(change(tx, items[1].Key, func(s *seen) { s.N++ }))
		cards, err := tx.Scan(keyCard(a, ""), keyCard(a, "z"), 1)
		try(err)
		try(change(tx, cards[0].Key, func(c *card) { c.Due++ }))
		boards, err := tx.Scan([]byte("board/"), []byte("board0"), 1)
		try(err)
		try(change(tx, boards[0].Key, func(s *standing) { s.All.Points++ }))
		days, err := tx.Scan(keyDay(b, 0), keyDay(b, 1<<20), 1)
		try(err)
		try(tx.Delete(days[0].Key))
		try(tx.Put(keyDay(b, 1), []byte{recordVersion}))
		try(change(tx, keySpace(server), func(s *space) { s.Streak.Current += 7 }))
		try(tx.Delete(keyNumbers))
		return errors.Join(errs...)
	})
}

// Prior is the difficulty that an item has before anybody answered it here.
func (e *Engine) Prior(item string) (b, v float64) {
	i := prior(e.model, e.bank.Item(item))
	return i.B, i.BV
}
