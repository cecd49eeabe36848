package boltstore_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"aiprep/engine"
	"aiprep/engine/boltstore"
)

const (
	crashRounds  = 20
	crashWriters = 16
	childEnv     = "BOLTSTORE_TEST_CHILD" // "<what> <path>" makes this binary the child
)

// TestChild is no test but what the tests below run in another process.
func TestChild(t *testing.T) {
	what, path, ok := strings.Cut(os.Getenv(childEnv), " ")
	if !ok {
		t.Skip("only runs as the child of another test")
	}
	switch what {
	case "write":
		writeForEver(t, path)
	case "limit":
		writeBeyondTheLimit(t, path)
	default:
		t.Fatalf("unknown child %q", what)
	}
}

func child(what, path string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^TestChild$")
	cmd.Env = append(os.Environ(), childEnv+"="+what+" "+path)
	cmd.Stderr = os.Stderr
	return cmd
}

// TestKillLosesNothingAcknowledged kills a process in the middle of its
// writing, again and again on the same file. Every number a writer saw
// committed must be there, in both places the transaction wrote it to.
func TestKillLosesNothingAcknowledged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	acknowledged := map[string]int{}
	total := 0
	for round := range crashRounds {
		n := killWhileWriting(t, path, acknowledged)
		total += n
		summary, err := boltstore.Verify(path)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if summary.Records < total {
			t.Fatalf("round %d: %d records, %d were acknowledged", round, summary.Records, total)
		}
		checkAcknowledged(t, path, acknowledged)
	}
	t.Logf("%d rounds, %d updates acknowledged, none lost", crashRounds, total)
}

// killWhileWriting runs the child until it has acknowledged some updates,
// kills it and adds what it acknowledged to the numbers by writer.
func killWhileWriting(t *testing.T, path string, acknowledged map[string]int) (n int) {
	t.Helper()
	cmd := child("write", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	enough := 100 + rand.IntN(400)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		writer, number, ok := strings.Cut(lines.Text(), "=")
		if !ok {
			t.Errorf("the child says %q", lines.Text())
			continue
		}
		value, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		acknowledged[writer] = max(acknowledged[writer], value)
		if n++; n == enough {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || n < enough {
		t.Fatalf("the child ended by itself after %d updates: %v", n, err)
	}
	return n
}

// writeForEver counts up in 16 goroutines and prints each number once its
// update has returned.
func writeForEver(t *testing.T, path string) {
	s, err := boltstore.Open(path, boltstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for w := range crashWriters {
		all.Go(func() {
			for {
				number := 0
				err := s.Update(context.Background(), func(tx engine.Tx) error {
					number, err = next(tx, w)
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := os.Stdout.WriteString(fmt.Sprintf("%d=%d\n", w, number)); err != nil {
					return
				}
			}
		})
	}
	all.Wait()
}

// next counts one writer up and leaves a record of every number.
func next(tx engine.Tx, writer int) (int, error) {
	key := fmt.Appendf(nil, "count/%d", writer)
	values, err := tx.Get(key)
	if err != nil {
		return 0, err
	}
	number, _ := strconv.Atoi(string(values[0])) // absent: 0
	number++
	return number, errors.Join(
		tx.Put(key, strconv.AppendInt(nil, int64(number), 10)),
		tx.Put(fmt.Appendf(nil, "log/%d/%09d", writer, number), make([]byte, 200)),
	)
}

func checkAcknowledged(t *testing.T, path string, acknowledged map[string]int) {
	t.Helper()
	s, err := boltstore.Open(path, boltstore.Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.View(context.Background(), func(tx engine.Tx) error {
		for writer, want := range acknowledged {
			values, err := tx.Get([]byte("count/" + writer))
			if err != nil {
				return err
			}
			have, _ := strconv.Atoi(string(values[0]))
			if have < want {
				t.Errorf("writer %s: %d is committed, %d was acknowledged", writer, have, want)
			}
			log, err := tx.Scan([]byte("log/"+writer+"/"), []byte("log/"+writer+"0"), 1<<30)
			if err != nil {
				return err
			}
			if len(log) != have {
				t.Errorf("writer %s: count %d beside %d records of it", writer, have, len(log))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestADiskThatRefusesToGrowIsFull has the system refuse a larger file,
// which bbolt meets in the middle of a commit.
func TestADiskThatRefusesToGrowIsFull(t *testing.T) {
	path := filled(t, 100)
	cmd := child("limit", path)
	if out, err := cmd.Output(); err != nil {
		t.Fatalf("the child: %v\n%s", err, out)
	}
	if _, err := boltstore.Verify(path); err != nil {
		t.Error(err)
	}
}

func writeBeyondTheLimit(t *testing.T, path string) {
	s, err := boltstore.Open(path, boltstore.Options{InitialMap: 1 << 15})
	if err != nil {
		t.Fatal(err)
	}
	limit := syscall.Rlimit{Cur: 1 << 20, Max: 1 << 20}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	big := func(tx engine.Tx) error { return tx.Put([]byte("big"), make([]byte, 2<<20)) }
	small := func(tx engine.Tx) error { return tx.Put([]byte("small"), make([]byte, 100)) }
	for range 3 {
		if err := s.Update(ctx, big); !errors.Is(err, boltstore.ErrFull) {
			t.Errorf("a write the system refuses: %v, want ErrFull", err)
		}
		if err := s.Update(ctx, small); err != nil {
			t.Errorf("a write that fits, after one that did not: %v", err)
		}
	}
	if n := count(t, s); n != 101 {
		t.Errorf("%d records, want the 100 old ones and the small one", n)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
