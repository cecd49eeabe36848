package bottest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Gateway opcodes (topics, "Opcodes and Status Codes").
const (
	opDispatch       = 0
	opHeartbeat      = 1
	opIdentify       = 2
	opResume         = 6
	opReconnect      = 7
	opInvalidSession = 9
	opHello          = 10
	opHeartbeatAck   = 11
)

// gateway is the state behind the WebSocket endpoint; Discord.mu guards it.
type gateway struct {
	conns      []*Conn
	sessions   []*session
	identifies int
	resumes    int
	connects   int
	tokenReset bool
	silent     bool
	closed     bool
	onConnect  func(c *Conn, n int) Action
	onIdentify func(c *Conn, n int) Action
	onResume   func(c *Conn, n int) Action
}

// session is what a client may resume.
type session struct {
	id      string
	intents int
	shard   [2]int
	seq     int
	sent    []frame // dispatches, for Resume
	conn    *Conn   // nil while disconnected
}

// frame is one gateway payload.
type frame struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  *int            `json:"s"`
	Type *string         `json:"t"`
}

// Conn is one WebSocket connection of the client.
type Conn struct {
	// Identify is the client's Identify, once it has come.
	Identify Identify

	ws      *websocket.Conn
	session *session

	mu    sync.Mutex
	queue []func() error // what the writer still has to do
	wake  chan struct{}
	done  chan struct{}
	once  sync.Once
}

// Identify is what a client says of itself in opcode 2.
type Identify struct {
	Token    string          `json:"token"`
	Intents  int             `json:"intents"`
	Shard    *[2]int         `json:"shard"`
	Compress bool            `json:"compress"`
	Presence json.RawMessage `json:"presence"`
}

// shut stops the connection's writer.
func (c *Conn) shut() { c.once.Do(func() { close(c.done) }) }

// push queues something for the writer; it never blocks.
func (c *Conn) push(do func() error) {
	c.mu.Lock()
	c.queue = append(c.queue, do)
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// send queues a payload.
func (c *Conn) send(f frame) {
	c.push(func() error { return c.ws.WriteJSON(f) })
}

// op queues a payload that is no event.
func (c *Conn) op(code int, data any) { c.send(frame{Op: code, Data: raw(data)}) }

// close queues a close frame with a code and then the end of the connection; code
// 0 cuts it without a frame.
func (c *Conn) close(code int) {
	c.push(func() error {
		if code != 0 {
			text := websocket.FormatCloseMessage(code, closeReason(code))
			_ = c.ws.WriteControl(websocket.CloseMessage, text, time.Now().Add(time.Second)) // the cut below tells it anyway
		}
		return c.ws.Close()
	})
}

// write does what is queued until the connection is shut.
func (c *Conn) write() {
	for {
		select {
		case <-c.done:
			return
		case <-c.wake:
		}
		for {
			c.mu.Lock()
			var do func() error
			if len(c.queue) > 0 {
				do, c.queue = c.queue[0], c.queue[1:]
			}
			c.mu.Unlock()
			if do == nil {
				break
			}
			if do() != nil {
				_ = c.ws.Close() // the reader sees it and ends the connection
				return
			}
		}
	}
}

// closeReason is the text that goes with a close code.
func closeReason(code int) string {
	switch code {
	case 4001:
		return "Unknown opcode."
	case 4002:
		return "Error while decoding payload."
	case 4003:
		return "Not authenticated."
	case 4004:
		return "Authentication failed."
	case 4005:
		return "Already authenticated."
	case 4007:
		return "Invalid sequence."
	case 4008:
		return "Rate limited."
	case 4009:
		return "Session timed out."
	case 4010:
		return "Invalid shard."
	case 4011:
		return "Sharding required."
	case 4012:
		return "Invalid API version."
	case 4013:
		return "Invalid intent(s)."
	case 4014:
		return "Disallowed intent(s)."
	}
	return ""
}

// serveGateway runs one connection.
func (d *Discord) serveGateway(w http.ResponseWriter, r *http.Request) {
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	ws, err := up.Upgrade(w, r, nil)
	if err != nil {
		d.rec.AddProblem("gateway: " + err.Error())
		return
	}
	c := &Conn{ws: ws, wake: make(chan struct{}, 1), done: make(chan struct{})}
	d.mu.Lock()
	d.wg.Go(c.write)
	d.gate.conns = append(d.gate.conns, c)
	if d.gate.closed { // while upgrading
		_ = ws.Close() // as Close has done for the others
	}
	d.gate.connects++
	hook, n := d.gate.onConnect, d.gate.connects
	d.mu.Unlock()
	act := Action{}
	if hook != nil {
		act = hook(c, n)
	}
	version := r.URL.Query().Get("v")
	d.mu.Lock()
	switch {
	case act.Do != Proceed:
		d.perform(c, act)
	case version != "9" && version != "10":
		c.close(4012)
	case d.gate.silent:
	default:
		c.op(opHello, map[string]any{"heartbeat_interval": d.opts.HeartbeatInterval.Milliseconds(), "_trace": []string{}})
	}
	d.mu.Unlock()
	d.read(c)
	d.mu.Lock()
	d.leave(c)
	d.mu.Unlock()
	c.shut()
	_ = ws.Close() // both sides know by now
}

// leave takes a dead connection off the list; its session stays for Resume.
func (d *Discord) leave(c *Conn) {
	for i, x := range d.gate.conns {
		if x == c {
			d.gate.conns = append(d.gate.conns[:i], d.gate.conns[i+1:]...)
			break
		}
	}
	if c.session != nil && c.session.conn == c {
		c.session.conn = nil
	}
	d.touch()
}

// read handles what the client sends until the connection ends.
func (d *Discord) read(c *Conn) {
	var recent []time.Time // of sends, for the limit of 120 in 60 s
	for {
		_ = c.ws.SetReadDeadline(time.Now().Add(2*d.opts.HeartbeatInterval + time.Second)) // a dead connection fails in ReadMessage
		kind, data, err := c.ws.ReadMessage()
		if err != nil {
			d.closed(c, err)
			return
		}
		now := time.Now()
		recent = append(recent, now)
		for now.Sub(recent[0]) > time.Minute {
			recent = recent[1:]
		}
		var f frame
		d.mu.Lock()
		switch {
		case len(recent) > 120:
			c.close(4008)
		case kind != websocket.TextMessage, len(data) > 4096, json.Unmarshal(data, &f) != nil:
			c.close(4002)
		default:
			d.mu.Unlock()
			d.frame(c, f)
			continue
		}
		d.mu.Unlock()
	}
}

// closed notes with which code a client left: 1000 and 1001 end the session.
func (d *Discord) closed(c *Conn, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if websocket.IsCloseError(err, websocket.CloseNormalClosure, websocket.CloseGoingAway) {
		d.forget(c.session)
	}
}

// forget ends a session for good.
func (d *Discord) forget(s *session) {
	for i, x := range d.gate.sessions {
		if x == s {
			d.gate.sessions = append(d.gate.sessions[:i], d.gate.sessions[i+1:]...)
			return
		}
	}
}

// frame handles one payload of the client.
func (d *Discord) frame(c *Conn, f frame) {
	switch f.Op {
	case opHeartbeat:
		d.mu.Lock()
		if !d.gate.silent {
			c.send(frame{Op: opHeartbeatAck})
		}
		d.mu.Unlock()
	case opIdentify:
		d.identify(c, f.Data)
	case opResume:
		d.resume(c, f.Data)
	case 3, 4, 8: // presence, voice state, members: nothing here depends on them
		d.mu.Lock()
		if c.session == nil {
			c.close(4003)
		}
		d.mu.Unlock()
	default:
		d.mu.Lock()
		d.rec.AddProblem("gateway: unknown opcode " + strconv.Itoa(f.Op))
		c.close(4001)
		d.mu.Unlock()
	}
}
