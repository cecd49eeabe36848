package engine

import "strings"

// changeLook changes how a post looks.
func (t *turn) changeLook(what, value string) error {
	s := &t.space
	switch what {
	case "answers":
		if value != answersButtons && value != answersPoll {
			return t.sorry(wUnknownOption, "word", value, "options", answersButtons+", "+answersPoll)
		}
		s.Polls = value == answersPoll
	case "role":
		return t.changeRole(value)
	case "language":
		lang, err := t.readLanguage(value)
		if err != nil {
			return err
		}
		s.Lang = lang
	default:
		return t.sorry(wUnknownCommand)
	}
	return nil
}

// changeRole sets the role that is mentioned with every post.
func (t *turn) changeRole(value string) error {
	if value == "none" {
		value = ""
	}
	if strings.Trim(value, "0123456789") != "" || value == t.in.In.Server && value != "" {
		return t.sorry(wBadRole)
	}
	t.space.Role = value
	return nil
}
