// Package skill is the adaptive model: what is believed of people and items,
// what an answer changes, what to ask next, and what to show. It is pure
// arithmetic. There is no clock, no I/O, no map and no state beside the small
// structs that go in and come out, so the same answers give the same numbers
// on every replay.
//
// # The model
//
// The logit of a right answer is a sum of Gaussians, scaled by the item's
// slope:
//
//	slope * ( mu + g + o - d - b + w1*form + w2*[last right] + w3*[last wrong]
//	               |   |   |   |                  + w4*ln(1+n) + w5*[daily] )
//	 person: General   Topic   |   Item
//	                   TopicDifficulty            World: mu, w1 to w5
//
// A right answer may also be a lucky guess, with a small chance that all
// items share and that is learnt: on real answers it comes out between 0 and
// .15, far below 1/options, because wrong options attract those who do not
// know.
//
// One answer updates everything in closed form by assumed density filtering
// (see moment): match mean and variance of the logit's posterior, and move
// each part by its covariance with the logit. A person's general ability g
// and offset o keep their covariance, in Topic.Tie; so ranges stay honest for
// a topic that is practised, one that is not, and all together.
//
// # Who learns when
//
//	answer --> LearnPerson: General, Topic          at once, in the answer's transaction,
//	   |                                            under the epoch it was asked under
//	   +----> Observe --> LearnItem: Item,          later, in a fold, without the person,
//	                      TopicDifficulty, World    if they agreed; publishes the next epoch
//
// Items learn from first attempts in tests only. A repeat teaches what having
// seen an item is worth, a daily what an open book is worth.
//
// # Promises
//
//   - A right answer never lowers Score.Mean or Readiness.Chance of its topic;
//     form and practice have weights that are never negative, and form moves
//     only the way of the answer.
//   - An answer widens nothing but by the drift, and nothing is ever wider
//     than it was for a newcomer.
//   - Learning allocates nothing.
//
// # Limits
//
// No log of people on interview questions was at hand: the constants come
// from school mathematics and science, language and statistics. Where guesses
// are right one time in four and no one says "I don't know", ranges are too
// narrow: after 120 answers on a topic, nine in ten become about three in
// four. TestSimulation prints the figures and TestRealLogs measures the model
// on real answers beside simpler ones.
package skill
