package main

import (
	"fmt"
	"strconv"

	"aiprep/engine"
)

// UnlockConfig says what is free.
type UnlockConfig struct {
	Mode        string `yaml:"mode"`
	TestsPerDay int    `yaml:"tests_per_day"`
	// Stars is the price on Telegram, and DiscordSKU what is sold on Discord, at
	// DiscordUSDCents; nothing is sold where it is not set.
	Stars           int    `yaml:"stars"`
	DiscordSKU      string `yaml:"discord_sku"`
	DiscordUSDCents int    `yaml:"discord_usd_cents"`
	// Support is how who paid reaches the operator.
	Support string `yaml:"support"`
}

// Modes of unlocking.
const (
	unlockOff  = "off"
	unlockSell = "sell"
)

// engine is what the engine is told; nil means that everything is free.
func (c UnlockConfig) engine() *engine.Unlocking {
	if c.Mode != unlockSell {
		return nil
	}
	return &engine.Unlocking{TestsPerDay: c.TestsPerDay, Stars: c.Stars, SKU: c.DiscordSKU, Support: c.Support}
}

// sku is what is sold on Discord, "" for nothing.
func (c UnlockConfig) sku() string {
	if c.Mode != unlockSell {
		return ""
	}
	return c.DiscordSKU
}

// Prices. Telegram takes up to 10,000 Stars for one thing. A Star costs people
// about 2 US cents in the apps and 1.4 where Telegram sells it cheapest; of the two
// the lower one is compared with Discord's price, which must not be higher than
// elsewhere (Discord's Monetization Terms).
const (
	mostStars     = 10_000
	millsPerStar  = 14 // tenths of a US cent
	millsPerCent  = 10
	mostDiscord   = 1_000_000 // US cents
	mostFreeTests = 1000
)

// validate finds what is wrong with what is sold.
func (c UnlockConfig) validate() (errs []error) {
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.Mode != unlockOff && c.Mode != unlockSell {
		bad("unlock.mode is %q: write off or sell", c.Mode)
	}
	if c.TestsPerDay < 0 || c.TestsPerDay > mostFreeTests {
		bad("unlock.tests_per_day is %d: write how many tests a day are free", c.TestsPerDay)
	}
	if c.Stars < 0 || c.Stars > mostStars {
		bad("unlock.stars is %d: write a price from 1 to %d Stars, or 0 to sell nothing on Telegram", c.Stars, mostStars)
	}
	if _, err := strconv.ParseUint(c.DiscordSKU, 10, 64); c.DiscordSKU != "" && err != nil {
		bad("unlock.discord_sku is %q: write the number of the SKU, from the developer portal", c.DiscordSKU)
	}
	if c.DiscordUSDCents < 0 || c.DiscordUSDCents > mostDiscord {
		bad("unlock.discord_usd_cents is %d: write what the SKU costs on Discord, in US cents", c.DiscordUSDCents)
	}
	if c.Mode != unlockSell || c.Stars == 0 && c.DiscordSKU == "" {
		return errs
	}
	if c.Support == "" {
		bad("unlock.support is not set: write how people who paid reach you, such as an address; Telegram asks for it")
	}
	switch {
	case c.DiscordSKU == "":
	case c.DiscordUSDCents == 0:
		bad("unlock.discord_usd_cents is not set: write what the SKU costs on Discord, in US cents, so that the prices can be compared")
	case c.Stars > 0 && c.DiscordUSDCents*millsPerCent > c.Stars*millsPerStar:
		bad("unlock.discord_usd_cents is %d and unlock.stars %d: Discord must not be dearer than Telegram, where that is about %d cents; ask for at least %d Stars, or for less on Discord",
			c.DiscordUSDCents, c.Stars, c.Stars*millsPerStar/millsPerCent, (c.DiscordUSDCents*millsPerCent+millsPerStar-1)/millsPerStar)
	}
	return errs
}
