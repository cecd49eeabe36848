package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"aiprep/bots/bottest"
)

// fakes are the two fake platforms as one more process, driven over HTTP.
type fakes struct {
	*testing.T
	Discord struct {
		URL, Token string
		World      bottest.Sample
	}
	Telegram struct{ URL, Token string }
}

func startFakes(t *testing.T, bin string) *fakes {
	t.Helper()
	cmd := exec.Command(bin, "-discord", "127.0.0.1:0", "-telegram", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may be gone
		_ = cmd.Wait()
	})
	f := &fakes{T: t}
	if err := json.NewDecoder(out).Decode(f); err != nil {
		t.Fatalf("start the fakes: %v", err)
	}
	return f
}

func (f *fakes) env() []string {
	return []string{
		"AIPREP_TELEGRAM_SERVER=" + f.Telegram.URL, "AIPREP_TELEGRAM_TOKEN=" + f.Telegram.Token,
		"AIPREP_DISCORD_SERVER=" + f.Discord.URL, "AIPREP_DISCORD_TOKEN=" + f.Discord.Token,
	}
}

// order gives an order to a fake, or with a nil body asks it, and reads the
// answer into out.
func (f *fakes) order(server, what string, body map[string]any, out any) {
	f.Helper()
	method, data := http.MethodGet, []byte(nil)
	if body != nil {
		method = http.MethodPost
		var err error
		if data, err = json.Marshal(body); err != nil {
			f.Fatal(err)
		}
	}
	req, err := http.NewRequestWithContext(soon(f.T), method, server+"/_control/"+what, bytes.NewReader(data))
	if err != nil {
		f.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		f.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && out != nil {
		err = json.Unmarshal(answer, out)
	}
	if err != nil || resp.StatusCode != http.StatusOK {
		f.Fatalf("%s %v: %d %s %v", what, body, resp.StatusCode, answer, err)
	}
}

// clean checks that neither platform had anything to find fault with.
func (f *fakes) clean() {
	f.Helper()
	for _, server := range []string{f.Telegram.URL, f.Discord.URL} {
		var problems []string
		f.order(server, "problems", nil, &problems)
		for _, p := range problems {
			f.Errorf("%s: %s", server, p)
		}
	}
}

// tgMessage is a message of the fake Telegram, as a reader has it before them.
type tgMessage struct {
	ID       int  `json:"message_id"`
	Bot      bool `json:"_bot"`
	Edits    int  `json:"_edits"`
	Text     string
	Caption  string // of a picture
	Keyboard struct {
		Rows [][]struct {
			Text string
			Data string `json:"callback_data"`
		} `json:"inline_keyboard"`
	} `json:"reply_markup"`
}

// button returns the action of the first button that begins with verb.
func (m tgMessage) button(verb string) string {
	for _, row := range m.Keyboard.Rows {
		for _, b := range row {
			if strings.HasPrefix(b.Data, verb+" ") {
				return b.Data
			}
		}
	}
	return ""
}

// reader is one person in their private chat on the fake Telegram.
type reader struct {
	*fakes
	id int
}

func (r *reader) text(s string) {
	r.Helper()
	r.order(r.Telegram.URL, "text", map[string]any{"user": r.id, "chat": r.id, "text": s}, nil)
}

// last waits until the bot's newest message is as wanted.
func (r *reader) last(what string, ok func(tgMessage) bool) (m tgMessage) {
	r.Helper()
	waitFor(r.T, what, func() bool {
		var list []tgMessage
		r.order(r.Telegram.URL, fmt.Sprint("messages?chat=", r.id), nil, &list)
		if len(list) == 0 {
			return false
		}
		m = list[len(list)-1]
		return m.Bot && ok(m)
	})
	return m
}

// press presses the button that begins with verb and waits for the message to
// change.
func (r *reader) press(m tgMessage, verb string) tgMessage {
	r.Helper()
	data := m.button(verb)
	if data == "" {
		r.Fatalf("%q has no button for %q", m.Text, verb)
	}
	r.order(r.Telegram.URL, "press", map[string]any{"user": r.id, "chat": r.id, "message": m.ID, "data": data}, nil)
	return r.last("an answer to "+data, func(now tgMessage) bool { return now.ID > m.ID || now.Edits > m.Edits })
}

// question waits for the k-th question of a test.
func (r *reader) question(k int) tgMessage {
	r.Helper()
	return r.last(fmt.Sprint("question ", k), func(m tgMessage) bool {
		return strings.Contains(m.Text, fmt.Sprintf("Question %d of 5", k)) && m.button("pick") != ""
	})
}

var summary = regexp.MustCompile(`(\d) of 5 right`)

// The real program against both platforms: in the first two tests these are a
// process of their own.
func TestServe(t *testing.T) {
	bin, platforms := goBuild(t, "."), goBuild(t, "aiprep/bots/bottest/cmd/fakes")
	t.Run("a test outlives a kill", func(t *testing.T) { testATestOutlivesAKill(t, bin, startFakes(t, platforms)) })
	t.Run("a daily is answered by click", func(t *testing.T) { testADailyIsAnsweredByClick(t, bin, startFakes(t, platforms)) })
	t.Run("what was due is posted and the end is orderly", func(t *testing.T) { testDueAtTheStartAndAnOrderlyEnd(t, bin) })
	t.Run("readiness is told", func(t *testing.T) { testReadinessIsTold(t, bin) })
}

// A test in Telegram, killed in the middle, goes on where it stood, comes to its
// summary, and no answer of it counts twice.
func testATestOutlivesAKill(t *testing.T, bin string, f *fakes) {
	dir := storeDir(t)
	r := &reader{fakes: f, id: 7}
	f.order(f.Telegram.URL, "user", map[string]any{"id": r.id, "first_name": "Ann"}, nil)

	live := serveChild(t, bin, dir, f.env()...)
	if err := live.ready(soon(t)); err != nil {
		t.Fatal(err)
	}
	r.text("/start")
	r.last("a greeting", func(m tgMessage) bool { return strings.Contains(m.Text, "interview") })
	r.text("/test model-compilation")
	right := 0
	for k := 1; k <= 5; k++ {
		asked := r.question(k)
		if k == 3 {
			live.kill()
			live = serveChild(t, bin, dir, f.env()...)
			if err := live.ready(soon(t)); err != nil {
				t.Fatal(err)
			}
			r.text("/test") // somebody who does not know that the question still works
			if again := r.question(k); again.button("pick") != asked.button("pick") {
				t.Errorf("after the kill another question is asked: %q, was %q", again.Text, asked.Text)
			} else {
				asked = again
			}
		}
		verdict := r.press(asked, "pick")
		if strings.Contains(verdict.Text, "Right:") {
			right++
		}
		r.press(verdict, "next")
	}
	sum := r.last("the summary", func(m tgMessage) bool { return summary.MatchString(m.Text) })
	if got := summary.FindStringSubmatch(sum.Text); got == nil || got[1] != strconv.Itoa(right) {
		t.Errorf("%d were right, and the summary is %q", right, sum.Text)
	}
	r.text("/stats")
	stats := r.last("statistics", func(m tgMessage) bool { return strings.Contains(m.Text+m.Caption, "📊") })
	if want := fmt.Sprintf("5 answers, %d right", right); !strings.Contains(stats.Text+stats.Caption, want) {
		t.Errorf("want %q in the statistics: %q", want, stats.Text+stats.Caption)
	}
	live.term(t)
	f.clean()
}

// The daily in Discord: set up and posted on request, answered by click, the
// first click standing against a second one and over a kill.
func testADailyIsAnsweredByClick(t *testing.T, bin string, f *fakes) {
	dir := storeDir(t)
	w := f.Discord.World
	live := serveChild(t, bin, dir, f.env()...)
	if err := live.ready(soon(t)); err != nil {
		t.Fatal(err)
	}
	form := f.slash(w.Admin, w.General, "setup")
	f.click(w.Admin, form, "Post one now")
	posted := f.posted(w.General, w.Alice)
	f.click(w.Alice, posted, "A")
	second := f.click(w.Alice, posted, "B")
	if !strings.Contains(second.Text(), "Your first answer counts: A") {
		t.Errorf("the second click is answered with %q", second.Text())
	}
	live.kill()
	live = serveChild(t, bin, dir, f.env()...)
	if err := live.ready(soon(t)); err != nil {
		t.Fatal(err)
	}
	third := f.click(w.Alice, f.posted(w.General, w.Alice), "C")
	if !strings.Contains(third.Text(), "Your first answer counts: A") || !third.Ephemeral() {
		t.Errorf("a click after the restart is answered with %q", third.Text())
	}
	f.click(w.Bob, posted, "B")
	for who, want := range map[string]string{w.Alice: "1 answer, ", w.Bob: "1 Antwort, "} { // bob's Discord is German
		if stats := f.slash(who, w.General, "stats"); !strings.Contains(stats.Text(), want) {
			t.Errorf("the statistics say %q", stats.Text())
		}
	}
	if streak := f.slash(w.Alice, w.General, "streak"); !strings.Contains(streak.Text(), "This server: 1 day") {
		t.Errorf("the streak is %q", streak.Text())
	}
	live.term(t)
	f.clean()
}

// shown is what the control interface says of an interaction.
type shown struct{ Response bottest.Response }

// newest is the last thing that an interaction showed.
func (f *fakes) newest(s shown) bottest.Message {
	f.Helper()
	if n := len(s.Response.FollowUps); n > 0 {
		return s.Response.FollowUps[n-1]
	}
	if s.Response.Message == nil || s.Response.Deferred {
		f.Fatal("nothing was shown")
	}
	return *s.Response.Message
}

func (f *fakes) slash(user, channel, command string) bottest.Message {
	f.Helper()
	var s shown
	f.order(f.Discord.URL, "slash", map[string]any{"user": user, "channel": channel, "name": command, "wait": "20s"}, &s)
	return f.newest(s)
}

func (f *fakes) click(user string, m bottest.Message, label string) bottest.Message {
	f.Helper()
	id := m.Button(label)
	if id == "" {
		f.Fatalf("%q has no button %q", m.Text(), label)
	}
	var s shown
	f.order(f.Discord.URL, "click", map[string]any{"user": user, "message": m.ID, "custom_id": id, "wait": "20s"}, &s)
	return f.newest(s)
}

// posted waits for the one challenge in a channel.
func (f *fakes) posted(channel, reader string) (m bottest.Message) {
	f.Helper()
	waitFor(f.T, "a challenge", func() bool {
		var list []bottest.Message
		f.order(f.Discord.URL, "messages?channel="+channel+"&user="+reader, nil, &list)
		n := 0
		for _, one := range list {
			if strings.Contains(one.Text(), "Daily challenge ·") && one.Button("A") != "" {
				m = one
				n++
			}
		}
		if n > 1 {
			f.Fatalf("%d challenges were posted", n)
		}
		return n == 1
	})
	return m
}

// A post that was due while nobody ran goes out at the start, and SIGTERM lets
// what has begun come to its end.
func testDueAtTheStartAndAnOrderlyEnd(t *testing.T, bin string) {
	c := newCrash(t, bin)
	for _, s := range c.stages {
		c.due(s)
	}
	live, _ := c.serve(nil)
	waitFor(t, "the posts", func() bool {
		for _, s := range c.stages {
			if len(s.challenges(c.places[s.name()][0])) != 1 {
				return false
			}
		}
		return true
	})
	clicked := c.vote(c.discord, 1, c.discord.challenges(c.places["discord"][0])[0])
	if text, err := clicked.wait(soon(t)); err != nil || !verdictTitle.MatchString(text) {
		t.Errorf("a click is answered with %q, %v", text, err)
	}
	held := make(chan struct{})
	c.telegram.Inject(bottest.Fault{Match: "answerCallbackQuery", Kind: bottest.Held{Until: held}})
	p := c.vote(c.telegram, 1, c.telegram.challenges(c.places["telegram"][0])[0])
	waitFor(t, "the answer under way", func() bool { return c.telegram.Holding() > 0 })
	if err := live.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the end to begin", func() bool { return strings.Contains(live.log.tail(), "stopping") })
	close(held)
	text, err := p.wait(soon(t))
	if err != nil || !verdictTitle.MatchString(text) {
		t.Errorf("the answer under way at SIGTERM: %q, %v", text, err)
	}
	<-live.dead
	if code := live.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("after SIGTERM the exit code is %d", code)
	}
	if n := c.telegram.Pending(); n != 0 {
		t.Errorf("%d updates are not acknowledged", n)
	}
	c.settle()
	c.checkStats()
}

// The address given in the configuration says when serve is ready.
func testReadinessIsTold(t *testing.T, bin string) {
	tg := newTelegramStage(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	admin := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	env := append(tg.env(tg.URL()), "AIPREP_ADMIN_LISTEN="+admin)
	live := serveChild(t, bin, storeDir(t), env...)
	waitFor(t, "/readyz", func() bool {
		resp, err := http.Get("http://" + admin + "/readyz")
		if err != nil {
			return false
		}
		return resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
	})
	live.term(t)
}
