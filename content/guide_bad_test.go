package content

import "strings"

func spoiltGuides() []spoilt {
	const g = guideFile
	long := strings.Repeat("word ", 400)
	return []spoilt{
		{"no front matter", g, "---\ntopic", "topic", "topic", "begin the guide with front matter", false},
		{"unknown key", g, "checked:", "chekced:", "chekced:", `did you mean "checked"?`, true},
		{"topic of another file", g, "topic: storage/page-cache", "topic: storage/write-ahead-log", "topic:", `write topic as "storage/page-cache"`, false},
		{"title missing", g, "title: Page cache\n", "", "topic:", `add "title" to the front matter`, true},
		{"another title than the pack", g, "title: Page cache", "title: Cache of pages", "", `write title as "Page cache", as the pack does`, false},
		{"day without quotes", g, `checked: "2026-12-01"`, "checked: 2026-12-01", "checked:", "put checked in quotes", true},
		{"section misspelt", g, "## How it works", "## How it work", "## How it work", `did you mean "How it works"?`, false},
		{"section missing", g, "## Why it matters\n", "", "", `add the section "## Why it matters"`, false},
		{"section twice", g, "## Patterns", "## Why it matters\n\nx\n\n## Patterns", "## Why it matters\n\nx", `remove this second section "Why it matters"`, false},
		{"sections out of order", g, "## Overview", "## Sources\n\n- x\n\n## Overview", "## Overview", `move the section "Overview" before "Sources"`, false},
		{"section empty", g, "A service that is fast in a test may have been reading from memory. The first request after a restart shows what the disk can do.", "", "## Why", `write the section "Why it matters"`, false},
		{"words before the first section", g, "## Overview", "Hello.\n\n## Overview", "Hello.", `move this line below the heading "## Overview"`, false},
		{"a title as a heading", g, "## Overview", "# Page cache\n\n## Overview", "# Page cache", "remove this heading", false},
		{"overview too short", g, "Writes land there first as well and reach the device later, so a program is fast until memory or the device is full.", "", "## Overview", "bring the overview to 200..1800 characters", false},
		{"overview too long", g, "Writes land there first", long, "## Overview", "bring the overview to 200..1800 characters", false},
		{"no diagram", g, "```\nread", "```go\nread", "## How", "draw a diagram of at most 36 columns", false},
		{"diagram too wide", g, "read --> in cache? --yes--> copy", "read --> in the cache? ---yes---> copy", "---yes", "narrow this line to 36 columns: it has 38", false},
		{"fence left open", g, "      device --> page\n```", "      device --> page", "", "close the ``` fence", false},
		{"an image", g, "Read the file once", "![x](y.png) Read the file once", "![x]", "remove the image", false},
		{"a table", g, "Read the file once", "| a | b |\nRead the file once", "| a |", "write the table as a list", false},
		{"HTML", g, "Read the file once", "Read <b>the</b> file once", "<b>", "remove the HTML", false},
		{"one pattern", g, "### Bypass\n", "", "## Patterns", `write 2 to 6 patterns as "### Name", not 1`, false},
		{"a pattern without its price", g, "**Trade-off:** full control, but", "Full control, but", "### Bypass", `add a line that begins with "**Trade-off:**"`, false},
		{"a row missing", g, "- **Monitoring:** look at major faults and at `Dirty` in `/proc/meminfo`.\n", "", "## In production", `add the row "- **Monitoring:** ..."`, false},
		{"a row too many", g, "\n## FAQ", "- **Fun:** none of it, since nobody looks at a page cache for fun.\n\n## FAQ", "**Fun", "remove this row", false},
		{"rows out of order", g, "- **Cost:** free", "- **Costs:** free", "**Costs", `begin row 4 with "**Cost:** "`, false},
		{"a row too short", g, "a write is safe only after `fsync`; a crash loses dirty pages.", "use `fsync`.", "**Reliability", "bring the row Reliability to 40..300 characters", false},
		{"four questions", g, "### Who owns a cached page?\nThe host, not the process: it outlives the program that read it, and others can use it.\n", "", "## FAQ", `write 5 to 12 questions as "### Question?", not 4`, false},
		{"a question without its mark", g, "### What drops the cache?", "### What drops the cache", "### What drops", "end the question with a question mark", false},
		{"a question too long", g, "### What drops the cache?", "### What " + strings.Repeat("really ", 30) + "drops the cache?", "### What really", "shorten the question to 160 characters", false},
		{"an answer too short", g, "Memory pressure, truncation of the file, or an operator who writes to `drop_caches`.", "Memory pressure.", "### What drops", "bring the answer to 60..700 characters: it has 16", false},
		{"a level missing", g, "### Senior", "### Staff", "## What is", `write the parts "### Junior", "### Mid", "### Senior"`, false},
		{"a level with one point", g, "- can say when data is safe\n", "", "### Junior", "list at least 2 points for Junior, not 1", false},
		{"no weak answer", g, "**Weak:** The disk", "The disk", "## Strong", "add a paragraph that begins with **Weak:**", false},
		{"a related topic without backticks", g, "- `backpressure`: what", "- backpressure: what", "- backpressure", "begin the row with a topic's id in `backticks`", false},
		{"an unknown related topic", g, "- `backpressure`: what", "- `back-pressure`: what", "- `back-pressure`", "the taxonomy has no such topic; near it are backpressure", false},
		{"related to itself", g, "- `backpressure`: what", "- `page-cache`: what", "- `page-cache`", "a topic is not related to itself", false},
		{"no source", g, "- Linux kernel documentation: page cache\n- open(2), Linux manual", "none", "## Sources", "list at least one source", false},
	}
}
