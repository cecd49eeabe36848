package storetest

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aiprep/engine"
)

func readTests() []contractTest {
	return []contractTest{
		{"get keeps the order of its keys", getOrder},
		{"an empty value is present", emptyValue},
		{"scan is in byte order", scanOrder},
		{"scan keeps to its bounds", scanBounds},
		{"scan pages without gap or repeat", scanPages},
		{"scan refuses a limit below 1", scanLimit},
		{"long keys and values are kept", longRecords},
		{"an empty key is refused", emptyKey},
		{"slices stay as they are until fn returns", stableSlices},
		{"a transaction ends with its function", txOver},
	}
}

func getOrder(t *testing.T, s engine.Store) {
	put(t, s, "a", "1", "b", "2", "c", "3")
	mustView(t, s, func(tx engine.Tx) error {
		values, err := tx.Get(b("c"), b("nothing"), b("a"), b("c"), nil)
		if err != nil {
			return err
		}
		want := [][]byte{b("3"), nil, b("1"), b("3"), nil}
		if diff := cmp.Diff(want, values); diff != "" {
			t.Errorf("values (-want +got):\n%s", diff)
		}
		none, err := tx.Get()
		if err != nil || len(none) != 0 {
			t.Errorf("Get() = %v, %v; want nothing", none, err)
		}
		return nil
	})
}

func emptyValue(t *testing.T, s engine.Store) {
	check := func(tx engine.Tx) error {
		values, err := tx.Get(b("nil"), b("empty"), b("absent"))
		if err != nil {
			return err
		}
		if diff := cmp.Diff([][]byte{{}, {}, nil}, values); diff != "" {
			t.Errorf("values (-want +got):\n%s", diff)
		}
		return nil
	}
	mustUpdate(t, s, func(tx engine.Tx) error {
		if err := tx.Put(b("nil"), nil); err != nil {
			return err
		}
		if err := tx.Put(b("empty"), []byte{}); err != nil {
			return err
		}
		return check(tx)
	})
	mustView(t, s, check)
}

func scanOrder(t *testing.T, s engine.Store) {
	// Every byte string is its own successor's prefix somewhere here.
	keys := []string{"\x00", "\x00\x00", "\x00\xff", "\x01", "a", "a\x00", "aa", "a\xff", "b", "\xfe\xff", "\xff", "\xff\x00", "\xff\xff"}
	var want []pair
	mustUpdate(t, s, func(tx engine.Tx) error {
		for i := range keys {
			key := keys[(i*5)%len(keys)] // in no order at all
			if err := tx.Put(b(key), b("v"+key)); err != nil {
				return err
			}
		}
		return nil
	})
	for _, key := range keys {
		want = append(want, pair{key, "v" + key})
	}
	if diff := cmp.Diff(want, dump(t, s)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func scanBounds(t *testing.T, s engine.Store) {
	put(t, s, "a", "1", "b", "2", "b\x00", "3", "c", "4", "\xff", "5")
	tests := []struct {
		from, to []byte
		limit    int
		want     string
	}{
		{nil, nil, 100, "12345"},
		{[]byte{}, nil, 100, "12345"},
		{nil, []byte{}, 100, ""},
		{b("b"), b("c"), 100, "23"},
		{b("b"), b("b\x00"), 100, "2"},
		{b("aa"), b("bb"), 100, "23"},
		{b("b"), b("b"), 100, ""},
		{b("c"), b("b"), 100, ""},
		{b("c"), nil, 100, "45"},
		{b("\xff\x00"), nil, 100, ""},
		{b("d"), b("e"), 100, ""},
		{nil, b("\xff"), 100, "1234"},
		{nil, nil, 1, "1"},
		{b("b"), nil, 2, "23"},
		{b("b"), b("c"), 1, "2"},
	}
	for _, test := range tests {
		mustView(t, s, func(tx engine.Tx) error {
			records, err := tx.Scan(test.from, test.to, test.limit)
			if err != nil {
				return err
			}
			got := ""
			for _, r := range records {
				got += string(r.Value)
			}
			if got != test.want {
				t.Errorf("Scan(%q, %q, %d) found %q, want %q", test.from, test.to, test.limit, got, test.want)
			}
			return nil
		})
	}
}

func scanPages(t *testing.T, s engine.Store) {
	want := []pair{}
	mustUpdate(t, s, func(tx engine.Tx) error {
		want = want[:0]
		for i := range 300 {
			p := pair{fmt.Sprintf("%04d", i), fmt.Sprint(i)}
			want = append(want, p)
			if err := tx.Put(b(p.Key), b(p.Value)); err != nil {
				return err
			}
		}
		return nil
	})
	for _, limit := range []int{1, 7, 299, 300, 301, 1 << 30} {
		got := []pair{}
		from := []byte(nil)
		for {
			n := 0
			mustView(t, s, func(tx engine.Tx) error {
				records, err := tx.Scan(from, b("9"), limit)
				got, n = append(got, pairs(records)...), len(records)
				return err
			})
			if n > limit {
				t.Fatalf("limit %d: %d records", limit, n)
			}
			if n == 0 {
				break
			}
			from = append(b(got[len(got)-1].Key), 0)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("pages of %d (-want +got):\n%s", limit, diff)
		}
	}
}

func scanLimit(t *testing.T, s engine.Store) {
	put(t, s, "a", "1")
	mustView(t, s, func(tx engine.Tx) error {
		for _, limit := range []int{0, -1} {
			if records, err := tx.Scan(nil, nil, limit); err == nil {
				t.Errorf("limit %d: %d records and no error", limit, len(records))
			}
		}
		return nil
	})
}

func longRecords(t *testing.T, s engine.Store) {
	key, value := bytes.Repeat(b("k\xff\x00"), maxKey)[:maxKey], bytes.Repeat(b("0123456789abcde"), 70_000)[:1<<20]
	mustUpdate(t, s, func(tx engine.Tx) error { return tx.Put(key, value) })
	mustView(t, s, func(tx engine.Tx) error {
		values, err := tx.Get(key)
		if err != nil {
			return err
		}
		if !bytes.Equal(values[0], value) {
			t.Errorf("got %d bytes back, want the %d that were put", len(values[0]), len(value))
		}
		return nil
	})
}

func emptyKey(t *testing.T, s engine.Store) {
	mustUpdate(t, s, func(tx engine.Tx) error {
		for _, key := range [][]byte{nil, {}} {
			if err := tx.Put(key, b("x")); err == nil {
				t.Error("Put with an empty key: no error")
			}
			if err := tx.Delete(key); err != nil {
				t.Errorf("Delete of the empty key, which is always absent: %v", err)
			}
		}
		return tx.Put(b("a"), b("1"))
	})
	if diff := cmp.Diff([]pair{{"a", "1"}}, dump(t, s)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func stableSlices(t *testing.T, s engine.Store) {
	put(t, s, "a", "old", "b", "old", "c", "old")
	mustUpdate(t, s, func(tx engine.Tx) error {
		values, err := tx.Get(b("a"), b("b"))
		if err != nil {
			return err
		}
		records, err := tx.Scan(nil, nil, 10)
		if err != nil {
			return err
		}
		if err := putAll(tx, "a", "new", "c", "longer than before"); err != nil {
			return err
		}
		if err := tx.Delete(b("b")); err != nil {
			return err
		}
		if diff := cmp.Diff([][]byte{b("old"), b("old")}, values); diff != "" {
			t.Errorf("values from before the writes (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]pair{{"a", "old"}, {"b", "old"}, {"c", "old"}}, pairs(records)); diff != "" {
			t.Errorf("records from before the writes (-want +got):\n%s", diff)
		}
		return nil
	})
}

func txOver(t *testing.T, s engine.Store) {
	put(t, s, "a", "1")
	var kept []engine.Tx
	keep := func(tx engine.Tx) error {
		kept = append(kept, tx)
		return nil
	}
	mustView(t, s, keep)
	mustUpdate(t, s, keep)
	for _, tx := range kept {
		_, getErr := tx.Get(b("a"))
		_, scanErr := tx.Scan(nil, nil, 1)
		for i, err := range []error{getErr, scanErr, tx.Put(b("a"), b("2")), tx.Delete(b("a"))} {
			if err == nil {
				t.Errorf("call %d on a transaction that is over: no error", i)
			}
		}
	}
	if diff := cmp.Diff([]pair{{"a", "1"}}, dump(t, s)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}
