package bottest

import (
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"
)

// runes counts a text as Discord does, in code points.
func runes(s string) int { return utf8.RuneCountInString(s) }

// checkMessage holds a whole message, as it would be after the request, against
// the limits of "Message", "Embed Limits" and "Component Reference".
func checkMessage(a spot, m *Message) {
	a.in("content").most(runes(m.Content), 2000)
	checkEmbeds(a.in("embeds"), m.Embeds)
	if m.Flags&FlagComponentsV2 == 0 {
		checkRows(a.in("components"), m.Components)
		return
	}
	if m.Content != "" {
		a.in("content").fail("MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", "The 'content' field cannot be used when using MessageFlags.IS_COMPONENTS_V2")
	}
	if len(m.Embeds) > 0 {
		a.in("embeds").fail("MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", "The 'embeds' field cannot be used when using MessageFlags.IS_COMPONENTS_V2")
	}
	if m.Poll != nil {
		a.in("poll").fail("MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", "The 'poll' field cannot be used when using MessageFlags.IS_COMPONENTS_V2")
	}
	checkLayout(a.in("components"), m.Components)
}

// checkEmbeds checks each embed and the sum over all of them.
func checkEmbeds(a spot, list []Embed) {
	if len(list) > 10 {
		a.fail("BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length.")
	}
	total := 0
	for i, e := range list {
		here := a.in(i)
		here.in("title").most(runes(e.Title), 256)
		here.in("description").most(runes(e.Description), 4096)
		total += runes(e.Title) + runes(e.Description)
		if len(e.Fields) > 25 {
			here.in("fields").fail("BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
		}
		for j, f := range e.Fields {
			here.in("fields").in(j).in("name").between(runes(f.Name), 1, 256)
			here.in("fields").in(j).in("value").between(runes(f.Value), 1, 1024)
			total += runes(f.Name) + runes(f.Value)
		}
		if e.Footer != nil {
			here.in("footer").in("text").most(runes(e.Footer.Text), 2048)
			total += runes(e.Footer.Text)
		}
		if e.Author != nil {
			here.in("author").in("name").most(runes(e.Author.Name), 256)
			total += runes(e.Author.Name)
		}
	}
	if total > 6000 {
		a.fail("MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of 6000")
	}
}

// checkRows checks components without the V2 flag: rows of buttons or one select.
func checkRows(a spot, rows []Component) {
	if len(rows) > 5 {
		a.fail("BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.")
	}
	ids := map[string]bool{}
	for i := range rows {
		if rows[i].Type != compRow {
			a.in(i).in("type").fail("UNION_TYPE_CHOICES", "Value of field \"type\" must be one of (1,).")
			continue
		}
		checkRow(a.in(i).in("components"), rows[i].Components, ids)
	}
}

// checkRow checks what stands in an action row.
func checkRow(a spot, list []Component, ids map[string]bool) {
	a.between(len(list), 1, 5)
	for i := range list {
		c := &list[i]
		switch {
		case c.Type == compButton:
		case isSelect(c.Type):
			if len(list) > 1 {
				a.fail("COMPONENT_LAYOUT_WIDTH_EXCEEDED", "The specified component exceeds the maximum width")
			}
		default:
			a.in(i).in("type").fail("UNION_TYPE_CHOICES", fmt.Sprintf("Component type %d cannot stand in an action row.", c.Type))
		}
		checkControl(a.in(i), c, ids)
	}
}

// checkLayout checks components under the V2 flag.
func checkLayout(a spot, list []Component) {
	count, text := 0, 0
	walk(list, func(c *Component) {
		count++
		if c.Type == compTextDisplay {
			text += runes(c.Content)
		}
	})
	if count > 40 {
		a.fail("BASE_TYPE_BAD_LENGTH", "The message has more than 40 components in total.")
	}
	if text > 4000 {
		a.fail("COMPONENT_MAX_TOTAL_COMPONENT_TEXT_LENGTH_EXCEEDED", "Total component text exceeds 4000 characters.")
	}
	checkBlocks(a, list, map[string]bool{}, false)
}

// checkBlocks checks the top level of a V2 message, or the inside of a container.
func checkBlocks(a spot, list []Component, ids map[string]bool, inside bool) {
	for i := range list {
		c, here := &list[i], a.in(i)
		switch c.Type {
		case compRow:
			checkRow(here.in("components"), c.Components, ids)
		case compTextDisplay:
			here.in("content").between(runes(c.Content), 1, 4000)
		case compSection:
			here.in("components").between(len(c.Components), 1, 3)
			checkBlocks(here.in("components"), c.Components, ids, true)
			if c.Accessory == nil {
				here.in("accessory").fail("BASE_TYPE_REQUIRED", "This field is required")
			} else if c.Accessory.Type == compButton {
				checkControl(here.in("accessory"), c.Accessory, ids)
			}
		case compContainer:
			if inside {
				here.in("type").fail("UNION_TYPE_CHOICES", "A container cannot stand inside another component.")
			}
			checkBlocks(here.in("components"), c.Components, ids, true)
		case 12, 13, 14: // media gallery, file, separator: the official description says it all
		default:
			here.in("type").fail("UNION_TYPE_CHOICES", fmt.Sprintf("Component type %d cannot stand here.", c.Type))
		}
	}
}

// checkControl checks one button, select or input, and that its custom_id is the
// only one of its kind.
func checkControl(a spot, c *Component, ids map[string]bool) {
	if c.Type == compButton {
		checkButton(a, c)
	} else {
		a.in("custom_id").between(runes(c.CustomID), 1, 100)
		a.in("placeholder").most(runes(c.Placeholder), 150)
		checkOptions(a, c)
	}
	if c.CustomID == "" {
		return
	}
	if ids[c.CustomID] {
		a.in("custom_id").fail("COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
	}
	ids[c.CustomID] = true
}

// checkButton checks a button of each of the six styles.
func checkButton(a spot, c *Component) {
	a.in("label").most(runes(c.Label), 80)
	named := c.Label != "" || c.Emoji != nil
	switch c.Style {
	case 1, 2, 3, 4:
		a.in("custom_id").between(runes(c.CustomID), 1, 100)
		if !named {
			a.in("label").fail("BUTTON_COMPONENT_MUST_HAVE_LABEL_OR_EMOJI", "A button must have a label or an emoji.")
		}
		if c.URL != "" || c.SKUID != "" {
			a.fail("BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE", "A custom id and url cannot both be specified")
		}
	case 5:
		a.in("url").between(runes(c.URL), 1, 512)
		u, err := url.Parse(c.URL)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "discord") {
			a.in("url").fail("URL_TYPE_INVALID_SCHEME", "Scheme must be one of ('http', 'https', 'discord').")
		}
		if c.CustomID != "" {
			a.in("custom_id").fail("BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE", "A custom id and url cannot both be specified")
		}
		if !named {
			a.in("label").fail("BUTTON_COMPONENT_MUST_HAVE_LABEL_OR_EMOJI", "A button must have a label or an emoji.")
		}
	case 6:
		if c.SKUID == "" {
			a.in("sku_id").fail("BASE_TYPE_REQUIRED", "This field is required")
		}
		if named || c.URL != "" || c.CustomID != "" {
			a.fail("BUTTON_COMPONENT_PREMIUM_FIELDS", "A premium button has a sku_id and nothing else.")
		}
	default:
		a.in("style").fail("BASE_TYPE_CHOICES", "Value must be one of {1, 2, 3, 4, 5, 6}.")
	}
}

// checkOptions checks the lines of a string select, radio group or checkbox group.
func checkOptions(a spot, c *Component) {
	low, high := 1, 25
	switch c.Type {
	case compStringSelect:
	case compRadioGroup:
		low, high = 2, 10
	case compCheckboxGroup:
		high = 10
	default:
		return
	}
	a.in("options").between(len(c.Options), low, high)
	values, defaults := map[string]bool{}, 0
	for i, o := range c.Options {
		here := a.in("options").in(i)
		here.in("label").between(runes(o.Label), 1, 100)
		here.in("value").between(runes(o.Value), 1, 100)
		here.in("description").most(runes(o.Description), 100)
		if values[o.Value] {
			here.in("value").fail("SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "The specified option value is already used")
		}
		values[o.Value] = true
		if o.Default {
			defaults++
		}
	}
	if c.Type == compStringSelect {
		checkRange(a, c, len(c.Options), defaults)
	}
}

// checkRange checks min_values and max_values of a string select.
func checkRange(a spot, c *Component, options, defaults int) {
	least, most := 1, 1
	if c.MinValues != nil {
		least = *c.MinValues
	}
	if c.MaxValues != nil {
		most = *c.MaxValues
	}
	if least < 0 || least > 25 || most < 1 || most > 25 || least > most || most > options {
		a.in("max_values").fail("BASE_TYPE_BAD_INT", fmt.Sprintf("min_values %d and max_values %d do not fit %d options.", least, most, options))
	}
	if defaults > most {
		a.in("options").fail("SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES", "Too many default values selected")
	}
}

// checkModal checks a modal ("Modals", "Text Input", "Label").
func checkModal(a spot, title, customID string, list []Component) {
	a.in("title").between(runes(title), 1, 45)
	a.in("custom_id").between(runes(customID), 1, 100)
	a.in("components").between(len(list), 1, 5)
	ids := map[string]bool{}
	for i := range list {
		c, here := &list[i], a.in("components").in(i)
		switch {
		case c.Type == compRow && len(c.Components) == 1 && c.Components[0].Type == compTextInput:
			in := here.in("components").in(0)
			in.in("label").between(runes(c.Components[0].Label), 1, 45)
			checkInput(in, &c.Components[0], ids)
		case c.Type == compLabel && c.Component != nil:
			here.in("label").between(runes(c.Label), 1, 45)
			here.in("description").most(runes(c.Description), 100)
			checkInput(here.in("component"), c.Component, ids)
		case c.Type == compTextDisplay:
			here.in("content").between(runes(c.Content), 1, 4000)
		default:
			here.in("type").fail("UNION_TYPE_CHOICES", fmt.Sprintf("Component type %d cannot stand in a modal like this.", c.Type))
		}
	}
}

// checkInput checks one thing that a modal asks for.
func checkInput(a spot, c *Component, ids map[string]bool) {
	if c.Type != compTextInput {
		checkControl(a, c, ids)
		return
	}
	checkControl(a, c, ids)
	a.in("placeholder").most(runes(c.Placeholder), 100)
	a.in("value").most(runes(c.Value), 4000)
	if c.Style != 1 && c.Style != 2 {
		a.in("style").fail("BASE_TYPE_CHOICES", "Value must be one of {1, 2}.")
	}
	if c.MinLength != nil && c.MaxLength != nil && *c.MinLength > *c.MaxLength {
		a.in("min_length").fail("BASE_TYPE_BAD_INT", "min_length is over max_length.")
	}
	if strings.TrimSpace(c.CustomID) == "" {
		a.in("custom_id").fail("BASE_TYPE_REQUIRED", "This field is required")
	}
}
