package engine

import (
	"errors"
	"fmt"
)

// erasePerson deletes everything that is about a person: their records, the
// accounts that lead to them, their marks in challenges and their private
// chats. Facts that name nobody stay: how many met a server's quorum, and
// anonymous copies that no longer lead to anyone.
func (e *Engine) erasePerson(tx Tx, id ID) error {
	var p person
	found, err := get(tx, keyMe(id), &p)
	if err != nil || !found {
		return err
	}
	if err := eraseMarks(tx, id); err != nil {
		return err
	}
	if err := errors.Join(eraseFlags(tx, id), e.eraseCharges(tx, id)); err != nil {
		return err
	}
	for _, key := range p.Accounts {
		if err := tx.Delete([]byte(key)); err != nil {
			return fmt.Errorf("erase account: %w", err)
		}
	}
	for _, chat := range p.Private {
		if err := e.eraseChat(tx, chat); err != nil {
			return err
		}
	}
	return deleteBelow(tx, keyPerson(id, ""))
}

// eraseMarks deletes the person's mark in every challenge they answered.
func eraseMarks(tx Tx, id ID) error {
	return eachBelow(tx, keyPerson(id, "answer/"), func(r Record) error {
		var a answer
		if _, err := decode(r.Value, &a); err != nil || a.Kind != kindDaily {
			return err
		}
		return errors.Join(tx.Delete(keyMark(a.Space, a.Date, id)), tx.Delete(keyBoard(a.Space, id)))
	})
}

// eraseChat deletes a private chat's space with its challenges.
func (e *Engine) eraseChat(tx Tx, id ID) error {
	var s space
	if _, err := get(tx, keySpace(id), &s); err != nil {
		return err
	}
	if s.Job != nil {
		if err := tx.Delete(s.Job); err != nil {
			return fmt.Errorf("erase chat: %w", err)
		}
	}
	err := eachBelow(tx, []byte("s/"+string(id)+"/occ/"), func(r Record) error {
		var o occurrence
		if _, err := decode(r.Value, &o); err != nil {
			return err
		}
		return tx.Delete(keyToken(o.Token))
	})
	return errors.Join(err, tx.Delete(keyPlace(e.secret, s.Place)), deleteBelow(tx, []byte("s/"+string(id)+"/")))
}

// eachBelow calls fn for every record whose key begins with prefix.
func eachBelow(tx Tx, prefix []byte, fn func(Record) error) error {
	from, end := prefixRange(prefix)
	for {
		recs, err := tx.Scan(from, end, 1000)
		if err != nil {
			return fmt.Errorf("scan %s: %w", prefix, err)
		}
		for _, r := range recs {
			if err := fn(r); err != nil {
				return err
			}
		}
		if len(recs) < 1000 {
			return nil
		}
		from = after(recs[len(recs)-1].Key)
	}
}

// deleteBelow deletes every record whose key begins with prefix.
func deleteBelow(tx Tx, prefix []byte) error {
	return eachBelow(tx, prefix, func(r Record) error { return tx.Delete(r.Key) })
}
