package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"aiprep/bots/bottest"
)

// start runs the program and returns what it printed; it ends with the test.
func start(t *testing.T, args ...string) map[string]struct {
	URL   string
	Token string
	World bottest.Sample
} {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	done := make(chan int, 1)
	var stderr bytes.Buffer
	go func() { done <- run(ctx, args, w, &stderr) }()
	t.Cleanup(func() {
		cancel()
		defer w.Close()
		if code := <-done; code != 0 {
			t.Errorf("exit code %d: %s", code, &stderr)
		}
	})
	var about map[string]struct {
		URL   string
		Token string
		World bottest.Sample
	}
	if err := json.NewDecoder(r).Decode(&about); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, r) }() // until the pipe is closed at the end
	return about
}

// do sends one request to the control API and decodes the answer.
func do(t *testing.T, method, url, body string, want int, into any) {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != want {
		t.Fatalf("%s %s: %d %s, want %d", method, url, resp.StatusCode, data, want)
	}
	if into != nil {
		if err := json.Unmarshal(data, into); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
	}
}

func TestDiscordIsControlledOverHTTP(t *testing.T) {
	d := start(t, "-discord", "127.0.0.1:0")["discord"]
	c := d.URL + "/_control/"
	do(t, "POST", c+"say", `{"user":"`+d.World.Alice+`","channel":"`+d.World.General+`","text":"hello"}`, 200, nil)
	var list []bottest.Message
	do(t, "GET", c+"messages?channel="+d.World.General+"&user="+d.World.Bob, "", 200, &list)
	if len(list) != 1 || list[0].Content != "hello" {
		t.Errorf("bob sees %+v", list)
	}
	do(t, "POST", c+"click", `{"user":"`+d.World.Alice+`","message":"`+list[0].ID+`","custom_id":"x"}`, 409, nil)
	do(t, "POST", c+"guild", `{"do":"outage","id":"no such"}`, 409, nil)
	do(t, "POST", c+"clock", `{"advance":"1h"}`, 200, nil)
	do(t, "POST", c+"fault", `{"match":"GET /gateway","kind":"bad_gateway"}`, 200, nil)
	do(t, "GET", d.URL+"/api/v10/gateway", "", 502, nil)
	do(t, "GET", d.URL+"/api/v10/gateway", "", 200, nil)
	var seen []bottest.Recorded
	do(t, "GET", c+"requests", "", 200, &seen)
	if len(seen) != 2 || seen[0].Status != 502 || seen[1].Status != 200 {
		t.Errorf("requests %+v", seen)
	}
	do(t, "GET", c+"nonsense", "", 404, nil)
}

func TestNoAddressIsAMistake(t *testing.T) {
	var stderr bytes.Buffer
	if code := run(context.Background(), nil, io.Discard, &stderr); code != 2 || !strings.Contains(stderr.String(), "-discord") {
		t.Errorf("code %d, stderr %q", code, &stderr)
	}
}
