package engine

import (
	"fmt"
	"maps"

	"aiprep/content"
	"aiprep/engine/skill"
)

// numbers are what the model knows of items, topics and the world as of one
// epoch. They do not change after they are published, so that every answer
// names the epoch it was asked under and can be computed again.
type numbers struct {
	Epoch  uint32                           `cbor:"1,keyasint"`
	Items  map[string]itemNumbers           `cbor:"2,keyasint,omitempty"`
	Topics map[string]skill.TopicDifficulty `cbor:"3,keyasint,omitempty"`
	World  skill.World                      `cbor:"4,keyasint"`
}

// itemNumbers are an item's numbers at the revision they were learnt on.
type itemNumbers struct {
	Rev  int        `cbor:"1,keyasint"`
	Item skill.Item `cbor:"2,keyasint"`
}

// freshNumbers are the numbers before any answer: authors' labels alone.
func (e *Engine) freshNumbers() *numbers { return &numbers{World: e.model.NewWorld()} }

// of returns what a prediction about an item needs. An item that was never
// calibrated, or was changed since, has its author's prior.
func (n *numbers) of(m skill.Model, i *content.Item) skill.Numbers {
	out := skill.Numbers{World: n.World}
	if n.has(i) {
		out.Item = n.Items[i.ID].Item
	} else {
		out.Item = prior(m, i)
	}
	var ok bool
	if out.Topic, ok = n.Topics[i.Topic]; !ok {
		out.Topic = m.NewTopicDifficulty()
	}
	return out
}

// has reports whether the epoch has numbers of this revision of the item.
func (n *numbers) has(i *content.Item) bool {
	known, ok := n.Items[i.ID]
	return ok && known.Rev == i.Rev
}

// labelled is what the author says of an item.
func labelled(m skill.Model, i *content.Item) skill.Item {
	return m.NewItem(i.Difficulty, i.HasDifficulty, int(i.Level)-int(content.Mid))
}

// next returns a copy that the fold may change.
func (n *numbers) next() *numbers {
	c := &numbers{Epoch: n.Epoch + 1, Items: maps.Clone(n.Items), Topics: maps.Clone(n.Topics), World: n.World}
	if c.Items == nil {
		c.Items = map[string]itemNumbers{}
	}
	if c.Topics == nil {
		c.Topics = map[string]skill.TopicDifficulty{}
	}
	return c
}

// set writes what the fold learnt from an answer to item i.
func (n *numbers) set(i *content.Item, learnt skill.Numbers) {
	n.Items[i.ID] = itemNumbers{Rev: i.Rev, Item: learnt.Item}
	n.Topics[i.Topic] = learnt.Topic
	n.World = learnt.World
}

// numbers returns what the model knows of an item now.
func (e *Engine) numbers(i *content.Item) skill.Numbers { return e.current.Load().of(e.model, i) }

// world returns the numbers that all items share.
func (e *Engine) world() skill.World { return e.current.Load().World }

// loadNumbers reads the newest epoch.
func (e *Engine) loadNumbers(tx Tx) (*numbers, error) {
	n := e.freshNumbers()
	if _, err := get(tx, keyNumbers, n); err != nil {
		return nil, fmt.Errorf("read item numbers: %w", err)
	}
	return n, nil
}
