// Package content holds what people are asked and what they read: the question
// bank and the study guides, with the rules that keep both honest.
//
//	taxonomy.yaml ─┐
//	bank/*/*.yaml ─┼─► Load ──► Bank ─► Category ─► Topic ─┬─► Item  ─ Markdown ─► Parse ─► Text
//	numbers.yaml  ─┤ (optional)
//	guides/*/*.md ─┘    │        │                         └─► Guide ─ Markdown ─► Parse ─► Text
//	                    │        └─► Lint ─► Report
//	                    └─► Problems (all of them, with file and line)
//
// Load is strict about form: a key that it does not know, an id given twice, a
// second right answer or a missing section is a Problem. Lint asks what no
// schema can: whether an item can be guessed without knowledge, whether it can
// be read on a phone, whether two items are one. Items are small and many, so
// they stay Markdown until they are shown.
//
// The package knows nothing of chats, people or scores.
package content
