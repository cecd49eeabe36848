package discord

import (
	"errors"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

func TestWhatIsWrittenMustBeAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer near.Close()
		defer far.Close()
		w := &watched{Conn: near, patience: 20 * time.Second}
		go func() { // answers the first word, speaks once of its own accord, and falls silent
			one := make([]byte, 1)
			_, _ = far.Read(one)
			time.Sleep(19 * time.Second) // of the bubble, as all here
			_, _ = far.Write([]byte("a"))
			time.Sleep(time.Hour)
			_, _ = far.Write([]byte("b"))
			for {
				if _, err := far.Read(one); err != nil {
					return
				}
			}
		}()
		say := func() {
			t.Helper()
			if _, err := w.Write([]byte("x")); err != nil {
				t.Fatal(err)
			}
		}
		heard := make([]byte, 1)
		say()
		for _, want := range []string{"a", "b"} { // nothing was owed in the hour between
			if _, err := w.Read(heard); err != nil || string(heard) != want {
				t.Fatalf("heard %q, %v, want %q", heard, err, want)
			}
		}
		began := time.Now()
		say()
		go func() {
			time.Sleep(15 * time.Second)
			_, _ = w.Write([]byte("y")) // asking again does not prolong it
		}()
		if _, err := w.Read(heard); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != 20*time.Second {
			t.Errorf("an answer that never came: %v after %v", err, time.Since(began))
		}
	})
}
