package engine

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sort"

	"aiprep/engine/skill"
)

// history is every number of every epoch, kept as what changed when, so that
// an answer of any epoch finds its numbers without a walk.
type history struct {
	newest uint32
	items  map[string][]version[itemNumbers]
	topics map[string][]version[skill.TopicDifficulty]
	worlds []skill.World // by epoch; 0 is the one before any answer
}

// version is a value since an epoch.
type version[T any] struct {
	since uint32
	value T
}

// asOf returns the value that stood at an epoch. list ascends.
func asOf[T any](list []version[T], epoch uint32) (v T, ok bool) {
	n := sort.Search(len(list), func(i int) bool { return list[i].since > epoch })
	if n == 0 {
		return v, false
	}
	return list[n-1].value, true
}

func newHistory(m skill.Model) *history {
	return &history{
		items:  map[string][]version[itemNumbers]{},
		topics: map[string][]version[skill.TopicDifficulty]{},
		worlds: []skill.World{m.NewWorld()},
	}
}

// add goes on by one epoch.
func (h *history) add(n uint32, change epoch) error {
	if n != h.newest+1 {
		return fmt.Errorf("read epochs: number %d follows %d: restore a backup", n, h.newest)
	}
	h.newest = n
	for id, now := range change.Items {
		h.items[id] = append(h.items[id], version[itemNumbers]{n, now})
	}
	for id, now := range change.Topics {
		h.topics[id] = append(h.topics[id], version[skill.TopicDifficulty]{n, now})
	}
	h.worlds = append(h.worlds, change.World)
	return nil
}

// of returns the numbers that an answer was asked under.
func (h *history) of(m skill.Model, a answer) (skill.Numbers, error) {
	if a.Epoch > h.newest {
		return skill.Numbers{}, fmt.Errorf("it names epoch %d and the newest is %d", a.Epoch, h.newest)
	}
	out := skill.Numbers{World: h.worlds[a.Epoch]}
	known, ok := asOf(h.items[a.Item], a.Epoch)
	switch {
	case ok && known.Rev == a.Rev:
		out.Item = known.Item
	case a.Prior != nil:
		out.Item = *a.Prior
	default:
		return out, fmt.Errorf("no numbers of %s are kept for epoch %d", a.Item, a.Epoch)
	}
	if out.Topic, ok = asOf(h.topics[topicOfItem(a.Item)], a.Epoch); !ok {
		out.Topic = m.NewTopicDifficulty()
	}
	return out, nil
}

// numbers are the newest epoch's.
func (h *history) numbers() *numbers {
	n := &numbers{
		Epoch: h.newest, World: h.worlds[h.newest],
		Items: map[string]itemNumbers{}, Topics: map[string]skill.TopicDifficulty{},
	}
	for id, list := range h.items {
		n.Items[id] = list[len(list)-1].value
	}
	for id, list := range h.topics {
		n.Topics[id] = list[len(list)-1].value
	}
	return n
}

// epochPage bounds the epochs read in one View: each may name 500 items.
const epochPage = 20

// extend reads the epochs that were published since.
func (h *history) extend(ctx context.Context, s Store) error {
	_, end := prefixRange([]byte("epoch/"))
	for {
		page, err := pageOf(ctx, s, keyEpoch(h.newest+1), end, epochPage)
		if err != nil {
			return fmt.Errorf("read epochs: %w", err)
		}
		for _, r := range page {
			var n uint32
			var change epoch
			if _, err := fmt.Sscanf(string(r.Key), "epoch/%08x", &n); err != nil {
				return fmt.Errorf("read epochs: key %q: %w", r.Key, err)
			}
			if _, err := decode(r.Value, &change); err != nil {
				return err
			}
			if err := h.add(n, change); err != nil {
				return err
			}
		}
		if len(page) < epochPage {
			return nil
		}
	}
}

// pageOf copies at most n records of a range out of a short View.
func pageOf(ctx context.Context, s Store, from, to []byte, n int) (page []Record, err error) {
	err = s.View(ctx, func(tx Tx) error {
		recs, err := tx.Scan(from, to, n)
		page = make([]Record, len(recs))
		for i, r := range recs {
			page[i] = Record{Key: bytes.Clone(r.Key), Value: bytes.Clone(r.Value)}
		}
		return err
	})
	return page, err
}

// after is the first key behind key.
func after(key []byte) []byte { return append(slices.Clip(key), 0) }
