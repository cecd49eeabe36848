package bottest

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
)

// DeliverTo sends interactions to an HTTP endpoint, signed, instead of over the
// gateway; Discord uses one way or the other. An empty URL goes back to the
// gateway. (interactions, "Receiving an Interaction")
func (d *Discord) DeliverTo(url string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.endpoint = url
}

// PublicKey is the key, in hexadecimal, that the endpoint must verify with.
func (d *Discord) PublicKey() string {
	return hex.EncodeToString(d.key.Public().(ed25519.PublicKey))
}

// Probe does what Discord does before it accepts an endpoint, and now and then
// after: a PING must be answered, one with a bad signature refused with 401.
func (d *Discord) Probe(ctx context.Context, url string) error {
	ping := []byte(`{"type":1}`)
	resp, body, err := d.deliverHTTP(ctx, url, ping, false)
	if err != nil {
		return fmt.Errorf("probe the endpoint: %w", err)
	}
	var pong struct {
		Type int `json:"type"`
	}
	if resp.StatusCode != http.StatusOK || json.Unmarshal(body, &pong) != nil || pong.Type != 1 || resp.Header.Get("Content-Type") == "" {
		return fmt.Errorf("probe the endpoint: PING was answered with %d %q", resp.StatusCode, body)
	}
	resp, _, err = d.deliverHTTP(ctx, url, ping, true)
	if err != nil {
		return fmt.Errorf("probe the endpoint: %w", err)
	}
	if resp.StatusCode != http.StatusUnauthorized {
		return fmt.Errorf("probe the endpoint: a bad signature was answered with %d", resp.StatusCode)
	}
	return nil
}

// deliverHTTP posts one signed body; forged spoils the signature.
func (d *Discord) deliverHTTP(ctx context.Context, url string, body []byte, forged bool) (*http.Response, []byte, error) {
	stamp := strconv.FormatInt(d.now().Unix(), 10)
	sig := ed25519.Sign(d.key, slices.Concat([]byte(stamp), body))
	if forged {
		sig[0] ^= 1
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Signature-Ed25519", hex.EncodeToString(sig))
	req.Header.Set("X-Signature-Timestamp", stamp)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxRequest))
	return resp, data, err
}

// push delivers an interaction to the endpoint and takes the answer in the body;
// 202 without one says that the callback route is used instead.
func (d *Discord) push(url string, it *Interaction, payload []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), firstResponse)
	defer cancel()
	go func() {
		select {
		case <-d.quit:
			cancel()
		case <-ctx.Done():
		}
	}()
	resp, body, err := d.deliverHTTP(ctx, url, payload, false)
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			d.rec.AddProblem("deliver interaction " + it.ID + ": " + err.Error())
		}
		return
	}
	if resp.StatusCode == http.StatusAccepted && len(body) == 0 {
		return
	}
	rec := Recorded{Time: d.now(), Method: "ANSWER", Path: "/interactions/" + it.ID, Header: keptHeaders(resp.Header), Body: body}
	c := &call{r: &http.Request{Header: resp.Header}, raw: body}
	out := denied(http.StatusBadRequest, 0, "The endpoint answered "+resp.Status)
	if resp.StatusCode == http.StatusOK {
		out = d.takeAnswer(c, it)
	} else {
		c.problem = append(c.problem, "the endpoint answered "+resp.Status)
	}
	rec.Status = out.status
	d.record(rec, c)
}

// takeAnswer reads a response body as if it had come to the callback route.
func (d *Discord) takeAnswer(c *call, it *Interaction) reply {
	if out, fine := d.readBody(c, "POST /interactions/{interaction_id}/{interaction_token}/callback"); !fine {
		return out
	}
	var in struct {
		Type int             `json:"type"`
		Data json.RawMessage `json:"data"`
	}
	if err := c.decode(&in); err != nil {
		return c.unreadable(err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if no := d.acknowledge(c, it, in.Type, in.Data); no != nil {
		return *no
	}
	return none()
}
