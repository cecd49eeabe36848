package engine_test

import (
	"bytes"
	"testing"
	"time"

	"aiprep/engine"
	"aiprep/engine/storetest"
)

// After a restore nothing is posted that may have been posted already, the next
// challenge comes at its time, and no streak is broken.
func TestARestoredStorePostsNothingTwice(t *testing.T) {
	c := newChat(t)
	m := c.daily("g")
	c.press("ann", "g", m, "m1", "A")
	backup := c.copyStore() // Monday, after the post
	c.until(monday.Add(49 * time.Hour))
	if len(c.posts.sent) != 3 {
		t.Fatalf("%d posts", len(c.posts.sent))
	}
	c.store = backup
	c.reopen()
	servers, err := c.e.Restored(t.Context(), c.now) // Wednesday, after the post
	if err != nil || servers != 1 {
		t.Errorf("%d servers, %v", servers, err)
	}
	c.until(c.now.Add(22 * time.Hour))
	if len(c.posts.sent) != 3 {
		t.Errorf("posted again: %d posts", len(c.posts.sent))
	}
	c.until(monday.Add(73 * time.Hour))
	if len(c.posts.sent) != 4 {
		t.Errorf("on Thursday: %d posts", len(c.posts.sent))
	}
	c.press("ann", "g", c.last(), "m4", "A")
	c.wants(c.types("ann", "g", "streak").Whisper, "2 days in a row")
	if got := c.rebuild(true); got.Left() != 0 {
		t.Errorf("by the facts:\n%s", got.Text())
	}
	if servers, err := c.e.Restored(t.Context(), c.now); err != nil || servers != 0 {
		t.Errorf("where nothing is due: %d servers, %v", servers, err)
	}
}

// copyStore is the store as it stands now, as a backup has it.
func (c *chat) copyStore() engine.Store {
	c.Helper()
	to := storetest.Memory()
	c.Cleanup(func() { to.Close() })
	var all []engine.Record
	err := c.store.View(c.Context(), func(tx engine.Tx) error {
		all = nil
		recs, err := tx.Scan(nil, nil, 100_000)
		for _, r := range recs {
			all = append(all, engine.Record{Key: bytes.Clone(r.Key), Value: bytes.Clone(r.Value)})
		}
		return err
	})
	if err == nil {
		err = to.Update(c.Context(), func(tx engine.Tx) error {
			for _, r := range all {
				if err := tx.Put(r.Key, r.Value); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		c.Fatal(err)
	}
	return to
}
