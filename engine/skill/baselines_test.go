package skill

import "math"

// learner predicts answers one after the other. answer predicts r, then moves
// the person; the function it returns moves the item's side, at once or in a
// later fold.
type learner interface {
	answer(r row) (p float64, fold func())
}

// itemMean predicts the share of right answers that an item has had, drawn
// to the share of all items.
type itemMean struct {
	right, seen       []float64
	allRight, allSeen float64
}

func newItemMean(l *answerLog) learner {
	return &itemMean{make([]float64, l.items), make([]float64, l.items), 1, 2}
}

func (s *itemMean) answer(r row) (float64, func()) {
	const drawn = 5
	p := (s.right[r.item] + drawn*s.allRight/s.allSeen) / (s.seen[r.item] + drawn)
	return p, func() {
		y := outcome(r)
		s.right[r.item] += y
		s.seen[r.item]++
		s.allRight += y
		s.allSeen++
	}
}

func outcome(r row) float64 {
	if r.right {
		return 1
	}
	return 0
}

// elo rates persons and items on one scale; a rating's step falls with the
// answers it has had.
type elo struct {
	user, item   []float64
	userN, itemN []float64
}

// The steps of elo: first/(1+slow*n).
const (
	eloUser, eloUserSlow = 1.0, 0.1
	eloItem, eloItemSlow = 0.7, 0.07
)

func newElo(l *answerLog) learner {
	return &elo{make([]float64, l.users), make([]float64, l.items), make([]float64, l.users), make([]float64, l.items)}
}

func (s *elo) answer(r row) (float64, func()) {
	ability := s.user[r.user]
	p := sigma(ability - s.item[r.item])
	s.user[r.user] += eloUser / (1 + eloUserSlow*s.userN[r.user]) * (outcome(r) - p)
	s.userN[r.user]++
	return p, func() {
		p := sigma(ability - s.item[r.item])
		s.item[r.item] -= eloItem / (1 + eloItemSlow*s.itemN[r.item]) * (outcome(r) - p)
		s.itemN[r.item]++
	}
}

// glicko is Glicko-1 in logits, persons against items.
type glicko struct{ user, item []Normal }

const (
	glickoUser  = 1.2   // variance of a new person
	glickoItem  = 1.3   // variance of a new item
	glickoDrift = 0.004 // variance that an answer adds to its person
)

func newGlicko(l *answerLog) learner {
	s := &glicko{make([]Normal, l.users), make([]Normal, l.items)}
	for i := range s.user {
		s.user[i].V = glickoUser
	}
	for i := range s.item {
		s.item[i].V = glickoItem
	}
	return s
}

func (s *glicko) answer(r row) (float64, func()) {
	before := s.user[r.user]
	item := s.item[r.item]
	p := sigma((before.M - item.M) * certainty(before.V+item.V))
	s.user[r.user] = before.played(item, outcome(r))
	s.user[r.user].V += glickoDrift
	return p, func() { s.item[r.item] = s.item[r.item].played(before, 1-outcome(r)) }
}

// certainty is Glicko's g: how much a result against somebody counts.
func certainty(v float64) float64 { return 1 / math.Sqrt(1+3*v/(math.Pi*math.Pi)) }

// played returns a rating after a game against other.
func (n Normal) played(other Normal, won float64) Normal {
	g := certainty(other.V)
	e := sigma(g * (n.M - other.M))
	v := 1 / (1/n.V + g*g*e*(1-e))
	return Normal{M: n.M + v*g*(won-e), V: v}
}

// logistic is an online logistic regression on the person, the item, the
// skill and counts of earlier right and wrong answers: of the person in all,
// on the skill (with weights for all skills and of each skill's own) and at
// the item. Every weight is a Gaussian of its own, so its step falls as it
// learns.
type logistic struct {
	user, item, skill      []Normal
	skillRight, skillWrong []Normal
	common                 [7]Normal             // bias, and right and wrong counts: in all, on the skill, at the item
	inAll                  [][2]float64          // answers of a user: wrong, right
	onSkill, atItem        map[[2]int][2]float64 // the same of a user on a skill, at an item
}

const logisticDrift = 0.004 // variance that an answer adds to its person's weight

func newLogistic(l *answerLog) learner {
	s := &logistic{
		user: prior(l.users, 1.2), item: prior(l.items, 1.3), skill: prior(l.skills, 0.4),
		skillRight: prior(l.skills, 0.05), skillWrong: prior(l.skills, 0.05),
		common: [7]Normal{{0, 0.5}, {0, 0.1}, {0, 0.1}, {0, 0.1}, {0, 0.1}, {0, 0.5}, {0, 0.5}},
		inAll:  make([][2]float64, l.users), onSkill: map[[2]int][2]float64{}, atItem: map[[2]int][2]float64{},
	}
	return s
}

func prior(n int, v float64) []Normal {
	all := make([]Normal, n)
	for i := range all {
		all[i].V = v
	}
	return all
}

// weights returns the weights that an answer has in common with others, and
// its features.
func (s *logistic) weights(r row) (shared [11]*Normal, f [11]float64) {
	shared = [11]*Normal{&s.item[r.item], &s.skill[r.skill], &s.skillRight[r.skill], &s.skillWrong[r.skill]}
	for i := range s.common {
		shared[4+i] = &s.common[i]
	}
	all, skill, item := s.inAll[r.user], s.onSkill[[2]int{r.user, r.skill}], s.atItem[[2]int{r.user, r.item}]
	f = [11]float64{0: 1, 1: 1, 4: 1}
	counts := [11]float64{
		2: skill[1], 3: skill[0], 5: all[1], 6: all[0], 7: skill[1], 8: skill[0], 9: item[1], 10: item[0],
	}
	for i, n := range counts {
		f[i] += math.Log1p(n)
	}
	return shared, f
}

func (s *logistic) answer(r row) (float64, func()) {
	shared, f := s.weights(r)
	own := s.user[r.user]
	predict := func() float64 {
		x, v := own.M, own.V
		for i, w := range shared {
			x += w.M * f[i]
			v += w.V * f[i] * f[i]
		}
		return sigma(x / math.Sqrt(1+math.Pi*v/8))
	}
	p := predict()
	s.user[r.user] = own.stepped(1, outcome(r), p)
	s.user[r.user].V += logisticDrift
	s.count(r)
	return p, func() {
		p := predict()
		for i, w := range shared {
			*w = w.stepped(f[i], outcome(r), p)
		}
	}
}

func (s *logistic) count(r row) {
	y := int(outcome(r))
	skill, item := [2]int{r.user, r.skill}, [2]int{r.user, r.item}
	onSkill, atItem := s.onSkill[skill], s.atItem[item]
	onSkill[y]++
	atItem[y]++
	s.inAll[r.user][y]++
	s.onSkill[skill], s.atItem[item] = onSkill, atItem
}

// stepped returns a weight after an answer that had the chance p.
func (n Normal) stepped(f, y, p float64) Normal {
	v := 1 / (1/n.V + f*f*p*(1-p))
	return Normal{M: n.M + v*f*(y-p), V: v}
}
