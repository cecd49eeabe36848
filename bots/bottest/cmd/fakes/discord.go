package main

import "aiprep/bots/bottest"

// startDiscord runs a fake Discord with a small world in it.
func startDiscord(addr string) (server, error) {
	d, err := bottest.NewDiscord(bottest.DiscordOptions{Addr: addr})
	if err != nil {
		return server{}, err
	}
	about := map[string]any{"url": d.URL(), "token": d.Token, "app": d.AppID, "world": d.Populate(), "control": d.URL() + "/_control/"}
	return server{about, d.Close}, nil
}
