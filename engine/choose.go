package engine

import (
	"fmt"
	"slices"

	"aiprep/content"
	"aiprep/engine/skill"
)

// How a server's challenge is chosen: of the items that its settings allow and
// that it has not had (or not for longest), one that tells most about the
// members who have been answering. Items that tell nearly as much are drawn
// from, by a seed that nobody outside can compute.

const (
	nearlyAsMuch  = 0.9 // of the most that any item tells
	activeDays    = 14  // who answered here within these days is active
	activeMembers = 200 // as many are looked at
)

// picked is a chosen item and why.
type picked struct {
	item   *content.Item
	reason reason
}

// pickItem chooses the item of a date.
func (s *scheduling) pickItem(d Date) (*picked, error) {
	used, err := s.usedDates()
	if err != nil {
		return nil, err
	}
	fresh := s.longestUnused(s.pool(), used, d)
	if len(fresh) == 0 {
		return &picked{}, nil
	}
	active, err := s.activeAbilities(d)
	if err != nil {
		return nil, err
	}
	c := &crowd{s: s, active: active, topics: map[string][]skill.Member{}}
	best := c.mostTelling(fresh)
	i := best[s.e.random("pick", string(s.id), d.String()).IntN(len(best))]
	return &picked{i, reason{Members: len(active), Fresh: len(fresh), P: c.chance(i)}}, nil
}

// crowd is a server's active members, seen one topic at a time.
type crowd struct {
	s      *scheduling
	active []abilities
	topics map[string][]skill.Member
}

// longestUnused keeps the items never used here or, when there are none, those
// used longest ago; never yesterday's, its enemies or, if it can be helped,
// its topic.
func (s *scheduling) longestUnused(pool []*content.Item, used map[string]Date, d Date) []*content.Item {
	yesterday := ""
	for _, i := range pool {
		if used[i.ID] == d-1 {
			yesterday = i.Topic
		}
	}
	var best, sameTopic []*content.Item
	oldest := Date(1<<31 - 1)
	for _, i := range pool {
		last := used[i.ID] // 0: never
		if last == d-1 || clashesWith(i, used, d-1) || last > oldest {
			continue
		}
		if last < oldest {
			best, sameTopic, oldest = nil, nil, last
		}
		if i.Topic == yesterday {
			sameTopic = append(sameTopic, i)
		} else {
			best = append(best, i)
		}
	}
	switch {
	case len(best) > 0:
		return best
	case len(sameTopic) > 0:
		return sameTopic
	}
	return pool
}

// mostTelling keeps the items that tell nearly as much as the best one.
func (c *crowd) mostTelling(items []*content.Item) []*content.Item {
	tells := make([]float64, len(items))
	most := 0.0
	for k, i := range items {
		tells[k] = c.s.e.model.Information(c.on(i.Topic), c.s.e.numbers(i))
		most = max(most, tells[k])
	}
	var best []*content.Item
	for k, i := range items {
		if tells[k] >= nearlyAsMuch*most {
			best = append(best, i)
		}
	}
	return best
}

// on returns the members as they stand on a topic.
func (c *crowd) on(topic string) []skill.Member {
	members, ok := c.topics[topic]
	if ok {
		return members
	}
	for _, a := range c.active {
		members = append(members, skill.Member{General: a.General, Topic: a.topic(c.s.e.model, topic, c.s.now)})
	}
	c.topics[topic] = members
	return members
}

// chance is how likely a member is to be right, on average; a new person's
// chance when nobody is active.
func (c *crowd) chance(i *content.Item) float64 {
	members, model := c.on(i.Topic), c.s.e.model
	if len(members) == 0 {
		members = []skill.Member{{General: model.NewGeneral(), Topic: model.NewTopic()}}
	}
	sum := 0.0
	for _, m := range members {
		sum += model.Predict(m.General, m.Topic, c.s.e.numbers(i), skill.Attempt{Daily: true}).P
	}
	return sum / float64(len(members))
}

// activeAbilities reads the numbers of those who answered here lately.
func (s *scheduling) activeAbilities(d Date) ([]abilities, error) {
	ids, err := s.activeIDs(d)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	keys := make([][]byte, len(ids))
	for k, id := range ids {
		keys[k] = keySkill(id)
	}
	vals, err := s.tx.Get(keys...)
	if err != nil {
		return nil, fmt.Errorf("read members: %w", err)
	}
	members := make([]abilities, 0, len(ids))
	for _, v := range vals {
		a := abilities{General: s.e.model.NewGeneral()}
		if found, err := decode(v, &a); err != nil {
			return nil, err
		} else if found {
			members = append(members, a)
		}
	}
	return members, nil
}

// activeIDs lists who answered here in the last days, newest days first.
func (s *scheduling) activeIDs(d Date) ([]ID, error) {
	known := map[ID]bool{}
	var ids []ID
	for day := d - 1; day >= d-activeDays && len(ids) < activeMembers; day-- {
		prefix := keyMark(s.id, day, "")
		from, to := prefixRange(prefix)
		recs, err := s.tx.Scan(from, to, activeMembers)
		if err != nil {
			return nil, fmt.Errorf("read who is active: %w", err)
		}
		for _, r := range recs {
			id := ID(r.Key[len(prefix):])
			if !known[id] && len(ids) < activeMembers {
				known[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids, nil
}

// clashesWith reports whether an enemy of i was used on that date.
func clashesWith(i *content.Item, used map[string]Date, d Date) bool {
	return slices.ContainsFunc(i.Enemies, func(id string) bool { return used[id] == d })
}

// pool lists the items that the space's settings allow.
func (s *scheduling) pool() []*content.Item {
	scopes := s.space.Topics
	if len(scopes) == 0 {
		scopes = []string{""}
	}
	had := map[string]bool{}
	var all, level []*content.Item
	for _, scope := range scopes {
		for _, tp := range s.e.offered(scope) {
			for _, i := range s.e.live(tp) {
				if had[i.ID] { // its topic and its category are both chosen
					continue
				}
				had[i.ID] = true
				all = append(all, i)
				if i.Level == content.Level(s.space.Level) {
					level = append(level, i)
				}
			}
		}
	}
	if len(level) > 0 {
		return level
	}
	return all
}

func (s *scheduling) usedDates() (map[string]Date, error) {
	prefix := keyUsed(s.id, "")
	from, to := prefixRange(prefix)
	used := map[string]Date{}
	for {
		recs, err := s.tx.Scan(from, to, 1000)
		if err != nil {
			return nil, fmt.Errorf("read used items: %w", err)
		}
		for _, r := range recs {
			var d Date
			if _, err := decode(r.Value, &d); err != nil {
				return nil, err
			}
			used[string(r.Key[len(prefix):])] = d
			from = append(slices.Clone(r.Key), 0)
		}
		if len(recs) < 1000 {
			return used, nil
		}
	}
}
