package content

import (
	"fmt"
	"strings"
)

// lacks says what the topic needs before it is offered, or "" if nothing.
func (t *Topic) lacks() string {
	live, at := 0, map[Level]int{}
	for _, i := range t.Items {
		if i.Status == Live {
			live++
			at[i.Level]++
		}
	}
	var missing []string
	if live < minLive {
		missing = append(missing, fmt.Sprintf("%d live items instead of %d", live, minLive))
	}
	for _, l := range t.Levels {
		if at[l] < minPerLevel {
			missing = append(missing, fmt.Sprintf("%d at %s instead of %d", at[l], l, minPerLevel))
		}
	}
	return strings.Join(missing, ", ")
}
