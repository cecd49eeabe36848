package bottest

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// route is one endpoint. Its pattern is spelt as in the official API description.
type route struct {
	do   handler
	open bool // needs no Authorization: the path carries a token
}

// addRoutes builds the table of endpoints.
func (d *Discord) addRoutes() {
	d.mux, d.routes = http.NewServeMux(), map[string]route{}
	for pattern, do := range d.botRoutes() {
		d.addRoute(pattern, route{do: do})
	}
	for pattern, do := range d.openRoutes() {
		d.addRoute(pattern, route{do: do, open: true})
	}
}

// botRoutes are the endpoints that want the bot's token.
func (d *Discord) botRoutes() map[string]handler {
	return map[string]handler{
		"GET /gateway/bot":                d.getGatewayBot,
		"GET /users/@me":                  d.getMe,
		"GET /applications/@me":           d.getApplication,
		"GET /oauth2/applications/@me":    d.getApplication,
		"GET /users/{user_id}":            d.getUser,
		"POST /users/@me/channels":        d.openDM,
		"GET /guilds/{guild_id}":          d.getGuild,
		"GET /guilds/{guild_id}/channels": d.getGuildChannels,
		"GET /guilds/{guild_id}/roles":    d.getGuildRoles,

		"GET /guilds/{guild_id}/members/{user_id}":                                  d.getMember,
		"GET /guilds/{guild_id}/threads/active":                                     d.getActiveThreads,
		"GET /channels/{channel_id}":                                                d.getChannel,
		"PATCH /channels/{channel_id}":                                              d.patchChannel,
		"POST /channels/{channel_id}/threads":                                       d.startThread,
		"POST /channels/{channel_id}/typing":                                        d.typing,
		"GET /channels/{channel_id}/messages":                                       d.getMessages,
		"POST /channels/{channel_id}/messages":                                      d.postMessage,
		"GET /channels/{channel_id}/messages/{message_id}":                          d.getMessage,
		"PATCH /channels/{channel_id}/messages/{message_id}":                        d.patchMessage,
		"DELETE /channels/{channel_id}/messages/{message_id}":                       d.deleteMessage,
		"POST /channels/{channel_id}/messages/{message_id}/crosspost":               d.crosspost,
		"GET /applications/{application_id}/entitlements":                           d.getEntitlements,
		"POST /applications/{application_id}/entitlements":                          d.postEntitlement,
		"DELETE /applications/{application_id}/entitlements/{entitlement_id}":       d.deleteEntitlement,
		"POST /applications/{application_id}/entitlements/{entitlement_id}/consume": d.consumeEntitlement,

		"GET /applications/{application_id}/commands":                    d.getCommands,
		"PUT /applications/{application_id}/commands":                    d.putCommands,
		"POST /applications/{application_id}/commands":                   d.postCommand,
		"GET /applications/{application_id}/commands/{command_id}":       d.getCommand,
		"PATCH /applications/{application_id}/commands/{command_id}":     d.patchCommand,
		"DELETE /applications/{application_id}/commands/{command_id}":    d.deleteCommand,
		"GET /applications/{application_id}/guilds/{guild_id}/commands":  d.getCommands,
		"PUT /applications/{application_id}/guilds/{guild_id}/commands":  d.putCommands,
		"POST /applications/{application_id}/guilds/{guild_id}/commands": d.postCommand,

		"GET /applications/{application_id}/guilds/{guild_id}/commands/{command_id}":    d.getCommand,
		"PATCH /applications/{application_id}/guilds/{guild_id}/commands/{command_id}":  d.patchCommand,
		"DELETE /applications/{application_id}/guilds/{guild_id}/commands/{command_id}": d.deleteCommand,
	}
}

// openRoutes are those whose path carries a token.
func (d *Discord) openRoutes() map[string]handler {
	return map[string]handler{
		"GET /gateway": d.getGateway,
		"POST /interactions/{interaction_id}/{interaction_token}/callback":    d.callback,
		"POST /webhooks/{webhook_id}/{webhook_token}":                         d.postFollowUp,
		"GET /webhooks/{webhook_id}/{webhook_token}/messages/@original":       d.getFollowUp,
		"PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original":     d.patchFollowUp,
		"DELETE /webhooks/{webhook_id}/{webhook_token}/messages/@original":    d.deleteFollowUp,
		"GET /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}":    d.getFollowUp,
		"PATCH /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}":  d.patchFollowUp,
		"DELETE /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}": d.deleteFollowUp,
	}
}

// addRoute enters one endpoint.
func (d *Discord) addRoute(pattern string, r route) {
	d.mux.HandleFunc(pattern, func(http.ResponseWriter, *http.Request) {})
	d.routes[pattern] = r
}

// discard swallows what the mux writes: only its matching is used.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}

// limits counts requests by route bucket and for the whole bot.
type limits struct {
	windows map[string]*window
	global  window
}

// window is a fixed stretch of the server's time in which requests are counted.
type window struct {
	ends time.Time
	used int
}

// take counts one request. It returns the headers that every response carries, or
// the 429 when the bucket is empty. A bucket is a route with its channel, guild or
// webhook (topics, "Rate Limits").
func (l *limits) take(d *Discord, r route, pattern string, req *http.Request) (http.Header, *reply) {
	now, limit, per := d.now(), d.opts.RouteLimit, d.opts.RoutePer
	if limit == 0 {
		limit = 1000
	}
	if per == 0 {
		per = time.Second
	}
	if d.opts.GlobalLimit > 0 && !r.open && !l.global.count(now, d.opts.GlobalLimit, time.Second) {
		out := limited(l.global.ends.Sub(now), true, "global")
		return nil, &out
	}
	key := strings.Join([]string{pattern, req.PathValue("channel_id"), req.PathValue("guild_id"), req.PathValue("webhook_token"), req.PathValue("interaction_token")}, " ")
	w := l.windows[key]
	if w == nil {
		w = &window{}
		l.windows[key] = w
	}
	within := w.count(now, limit, per)
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(pattern)) // a hash's Write never fails
	left := w.ends.Sub(now)
	header := http.Header{}
	header.Set("X-RateLimit-Bucket", fmt.Sprintf("%016x", hash.Sum64()))
	header.Set("X-RateLimit-Limit", strconv.Itoa(limit))
	header.Set("X-RateLimit-Remaining", strconv.Itoa(max(0, limit-w.used)))
	header.Set("X-RateLimit-Reset", fmt.Sprintf("%.3f", float64(w.ends.UnixMilli())/1000))
	header.Set("X-RateLimit-Reset-After", fmt.Sprintf("%.3f", left.Seconds()))
	if within {
		return header, nil
	}
	out := limited(left, false, "user")
	for k, v := range header {
		out.header[k] = v
	}
	return nil, &out
}

// count adds one request and reports whether it still fits.
func (w *window) count(now time.Time, limit int, per time.Duration) bool {
	if !now.Before(w.ends) {
		w.ends, w.used = now.Add(per), 0
	}
	w.used++
	return w.used <= limit
}
