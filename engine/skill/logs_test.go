package skill

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// row is one answer of a log. Users, items and skills are numbered from 0.
type row struct {
	user, item, skill int
	last              Last // at the same item
	right             bool
}

// answerLog is one set of real answers.
type answerLog struct {
	name                 string
	rows                 []row // a user's rows together and in order
	users, items, skills int
	from                 int // rows[from:] are the published test part; 0 without a split
}

// logFolder returns where the answer logs lie, or "" if nowhere.
func logFolder() string {
	if dir := os.Getenv("AIPREP_LOGS"); dir != "" {
		return dir
	}
	shared := os.Getenv("AIPREP_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	dir := filepath.Join(shared, "data", "answers")
	if _, err := os.Stat(dir); err != nil {
		return ""
	}
	return dir
}

// readLogs reads every set under dir, in the order of their names.
func readLogs(t *testing.T, dir string) []answerLog {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var logs []answerLog
	for _, e := range entries {
		at := filepath.Join(dir, e.Name())
		var names []string
		for _, name := range []string{"all.tsv.gz", "train.tsv.gz", "test.tsv.gz"} {
			if _, err := os.Stat(filepath.Join(at, name)); err == nil {
				names = append(names, filepath.Join(at, name))
			}
		}
		if len(names) == 0 {
			continue
		}
		l, err := readLog(e.Name(), names)
		if err != nil {
			t.Fatal(err)
		}
		logs = append(logs, l)
	}
	return logs
}

// readLog reads the files of one set; with two files the second is the test
// part of a split by user.
func readLog(name string, files []string) (answerLog, error) {
	l := answerLog{name: name}
	seen := map[[2]int]Last{}
	users, items, skills := map[string]int{}, map[string]int{}, map[string]int{}
	for i, file := range files {
		if i == 1 {
			l.from = len(l.rows)
		}
		err := readFile(file, func(f []string) {
			r := row{number(users, f[0]), number(items, f[1]), number(skills, f[4]), Never, f[3] == "1"}
			key := [2]int{r.user, r.item}
			r.last = seen[key]
			seen[key] = Wrong
			if r.right {
				seen[key] = Right
			}
			l.rows = append(l.rows, r)
		})
		if err != nil {
			return l, err
		}
	}
	l.users, l.items, l.skills = len(users), len(items), len(skills)
	return l, nil
}

// readFile calls fn with the fields of each row after the header.
func readFile(file string, fn func([]string)) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("open %s: %w", file, err)
	}
	s := bufio.NewScanner(z)
	for n := 1; s.Scan(); n++ {
		fields := strings.Split(s.Text(), "\t")
		if len(fields) < 5 {
			return fmt.Errorf("%s:%d: %d fields, want 5", file, n, len(fields))
		}
		if _, err := strconv.Atoi(fields[3]); n > 1 && err != nil {
			return fmt.Errorf("%s:%d: correct is %q", file, n, fields[3])
		}
		if n > 1 {
			fn(fields)
		}
	}
	return s.Err()
}

// number returns the number of a name, a new one if need be.
func number(of map[string]int, name string) int {
	n, ok := of[name]
	if !ok {
		n = len(of)
		of[name] = n
	}
	return n
}

// byUser returns each user's rows, the users in a fixed random order.
func byUser(rows []row) [][]row {
	var users [][]row
	for i := 0; i < len(rows); {
		j := i
		for j < len(rows) && rows[j].user == rows[i].user {
			j++
		}
		users = append(users, rows[i:j])
		i = j
	}
	rng := rand.New(rand.NewPCG(1, 2))
	rng.Shuffle(len(users), func(i, j int) { users[i], users[j] = users[j], users[i] })
	return users
}

// inTurn returns the rows one user after the other.
func inTurn(rows []row) []row {
	var out []row
	for _, u := range byUser(rows) {
		out = append(out, u...)
	}
	return out
}

// roundRobin returns the rows as a service would see them: everybody takes
// tests of five in turn.
func roundRobin(rows []row) []row {
	users := byUser(rows)
	var out []row
	for len(out) < len(rows) {
		for i, u := range users {
			n := min(5, len(u))
			out = append(out, u[:n]...)
			users[i] = u[n:]
		}
	}
	return out
}

// tally is what was predicted and what came.
type tally struct {
	p     []float64
	right []bool
}

func (s *tally) add(p float64, right bool) {
	s.p = append(s.p, p)
	s.right = append(s.right, right)
}

// figures are the four measures of a set of predictions.
type figures struct{ auc, logloss, rmse, ece float64 }

func (f figures) String() string {
	return fmt.Sprintf("%.4f %.4f %.4f %.4f", f.auc, f.logloss, f.rmse, f.ece)
}

// figures measures the predictions; ece has ten bins of equal width.
func (s *tally) figures() figures {
	var f figures
	var binP, binY [10]float64
	for i, p := range s.p {
		y, l := 0.0, 1-p
		if s.right[i] {
			y, l = 1, p
		}
		f.logloss -= math.Log(l)
		f.rmse += (y - p) * (y - p)
		b := min(9, int(p*10))
		binP[b] += p
		binY[b] += y
	}
	for b := range binP {
		f.ece += math.Abs(binP[b] - binY[b])
	}
	n := float64(len(s.p))
	f.logloss /= n
	f.rmse = math.Sqrt(f.rmse / n)
	f.ece /= n
	f.auc = s.auc()
	return f
}

// auc is the chance that a right answer was predicted above a wrong one.
func (s *tally) auc() float64 {
	order := make([]int, len(s.p))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, j int) bool { return s.p[order[i]] < s.p[order[j]] })
	var ranks, rights float64
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && s.p[order[j]] == s.p[order[i]] {
			j++
		}
		for _, at := range order[i:j] {
			if s.right[at] {
				ranks += float64(i+j+1) / 2
				rights++
			}
		}
		i = j
	}
	wrongs := float64(len(order)) - rights
	return (ranks - rights*(rights+1)/2) / (rights * wrongs)
}
