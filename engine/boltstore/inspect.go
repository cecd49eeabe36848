package boltstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	bolt "go.etcd.io/bbolt"
)

// The page layout of bbolt's file format 2, in the byte order of the machine
// (bbolt internal/common: page.go, inode.go, bucket.go).
const (
	headerSize  = 16 // id uint64, flags uint16, count uint16, overflow uint32
	elementSize = 16 // branch: pos, ksize uint32, page uint64; leaf: flags, pos, ksize, vsize uint32
	inBucket    = 16 // root page uint64 (0: the page follows inline), sequence uint64

	branchPage = 0x01
	leafPage   = 0x02
	bucketFlag = 0x01

	// maxDepth ends a walk along a loop of pages; a tree of the largest
	// possible file has far fewer levels.
	maxDepth = 64
	// maxBucketValue bounds what is read of a bucket's value: bbolt keeps
	// only buckets of less than a quarter of a page inline.
	maxBucketValue = 1 << 20
)

// inspector walks the pages of a bbolt file with bounded reads and no trust.
// It finds all that bbolt's own walk at opening stumbles over, which panics
// at the first error it is told and meanwhile goes on in another goroutine:
// pages that are missing, out of place, used twice or that point outside
// themselves, and keys out of order.
type inspector struct {
	file     io.ReaderAt
	pageSize int64
	end      uint64   // first page id past the pages in use
	seen     []uint64 // a bit a page
	// levels are buffers for one page a level of the tree: a page is looked
	// at while its children are, but not beside its siblings.
	levels [maxDepth + 1]struct {
		first    []byte
		elements []element
	}
}

// page is one page, or the page of a bucket that lives inline in a value.
type page struct {
	id    uint64
	flags uint16
	count int
	at    int64  // where it starts in the file
	size  int64  // with its overflow pages
	first []byte // as much of it as was read at once
	table []byte // its elements
}

// element is one entry of a page.
type element struct {
	bucket bool   // the value is a bucket
	child  uint64 // a branch page's
	key    []byte
	value  int64 // where the value starts in the page
	vsize  int64
}

// inspect walks the file that db has open and locked. Any error but one of
// reading is an ErrDamaged.
func inspect(db *bolt.DB, file *os.File) error {
	in := &inspector{file: file, pageSize: int64(db.Info().PageSize)}
	var root, size uint64
	err := db.View(func(btx *bolt.Tx) error {
		root, size = uint64(btx.Cursor().Bucket().Root()), uint64(btx.Size())
		return nil
	})
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if size > uint64(info.Size()) {
		return damaged(fmt.Sprintf("it is cut off, %d of %d bytes are left", info.Size(), size))
	}
	in.end = size / uint64(in.pageSize)
	in.seen = make([]uint64, in.end/64+1)
	return in.walk(root, nil, nil, 0)
}

// walk checks the tree below page id, whose keys must be at least low and,
// unless high is nil, below high.
func (in *inspector) walk(id uint64, low, high []byte, depth int) error {
	if depth > maxDepth {
		return damaged(fmt.Sprintf("page %d: the tree is too deep", id))
	}
	level := &in.levels[depth]
	if level.first == nil {
		level.first = make([]byte, in.pageSize)
	}
	p, err := in.read(id, level.first)
	if err != nil {
		return err
	}
	elements, err := in.elements(p, low, high, level.elements[:0])
	if err != nil {
		return err
	}
	level.elements = elements
	for i, e := range elements {
		switch {
		case p.flags == branchPage:
			below := high
			if i+1 < len(elements) {
				below = elements[i+1].key
			}
			err = in.walk(e.child, e.key, below, depth+1)
		case e.bucket:
			err = in.bucket(p, e, depth)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// read reads a page into first and checks its header, and marks its pages as
// used.
func (in *inspector) read(id uint64, first []byte) (*page, error) {
	if id < 2 || id >= in.end {
		return nil, damaged(fmt.Sprintf("page %d is referred to but lies outside the file", id))
	}
	at := int64(id) * in.pageSize
	if err := in.readAt(first, at); err != nil {
		return nil, err
	}
	overflow := uint64(binary.NativeEndian.Uint32(first[12:]))
	if called := binary.NativeEndian.Uint64(first); called != id || overflow >= in.end-id {
		return nil, damaged(fmt.Sprintf("page %d calls itself page %d with %d more", id, called, overflow))
	}
	for i := id; i <= id+overflow; i++ {
		if in.seen[i/64]&(1<<(i%64)) != 0 {
			return nil, damaged(fmt.Sprintf("page %d is used twice", i))
		}
		in.seen[i/64] |= 1 << (i % 64)
	}
	return in.parse(id, at, int64(overflow+1)*in.pageSize, first)
}

// parse makes a page of its header and table of elements.
func (in *inspector) parse(id uint64, at, size int64, first []byte) (*page, error) {
	p := &page{
		id: id, at: at, size: size, first: first,
		flags: binary.NativeEndian.Uint16(first[8:]),
		count: int(binary.NativeEndian.Uint16(first[10:])),
	}
	if p.flags != leafPage && (p.flags != branchPage || p.count == 0) {
		return nil, damaged(fmt.Sprintf("page %d is no page of a tree (type %#x, %d elements)", id, p.flags, p.count))
	}
	table := int64(p.count) * elementSize
	if headerSize+table > size {
		return nil, damaged(fmt.Sprintf("page %d has no room for its %d elements", id, p.count))
	}
	var err error
	p.table, err = in.bytes(p, headerSize, table)
	return p, err
}

// elements appends to elements, which is empty, what is in a page after
// checking that each element lies inside it and that the keys are in order
// and between low and high.
func (in *inspector) elements(p *page, low, high []byte, elements []element) ([]element, error) {
	for i := range p.count {
		raw := p.table[i*elementSize:][:elementSize]
		word := func(n int) int64 { return int64(binary.NativeEndian.Uint32(raw[4*n:])) }
		e, pos, ksize := element{}, word(0), word(1)
		if p.flags == branchPage {
			e.child = binary.NativeEndian.Uint64(raw[8:])
		} else {
			e.bucket = word(0)&bucketFlag != 0
			pos, ksize, e.vsize = word(1), word(2), word(3)
		}
		// Positions count from the start of the element they stand in.
		start := headerSize + int64(i)*elementSize + pos
		e.value = start + ksize
		if e.value+e.vsize > p.size {
			return nil, damaged(fmt.Sprintf("page %d: element %d lies outside it", p.id, i))
		}
		var err error
		if e.key, err = in.bytes(p, start, ksize); err != nil {
			return nil, err
		}
		if i == 0 && bytes.Compare(e.key, low) < 0 ||
			i > 0 && bytes.Compare(e.key, elements[i-1].key) <= 0 ||
			high != nil && bytes.Compare(e.key, high) >= 0 {
			return nil, damaged(fmt.Sprintf("page %d: key %d is out of order", p.id, i))
		}
		elements = append(elements, e)
	}
	return elements, nil
}

// bucket checks a bucket's header and what it leads to.
func (in *inspector) bucket(p *page, e element, depth int) error {
	if e.vsize < inBucket || e.vsize > maxBucketValue {
		return damaged(fmt.Sprintf("page %d: a bucket has a header of %d bytes", p.id, e.vsize))
	}
	value, err := in.bytes(p, e.value, e.vsize)
	if err != nil {
		return err
	}
	if root := binary.NativeEndian.Uint64(value); root != 0 {
		return in.walk(root, nil, nil, depth+1)
	}
	inline := value[inBucket:]
	if len(inline) < headerSize {
		return damaged(fmt.Sprintf("page %d: a bucket is cut off", p.id))
	}
	q, err := in.parse(p.id, p.at+e.value+inBucket, int64(len(inline)), inline)
	if err != nil {
		return err
	}
	elements, err := in.elements(q, nil, nil, nil)
	if err != nil {
		return err
	}
	for _, e := range elements {
		if q.flags != leafPage || e.bucket {
			return damaged(fmt.Sprintf("page %d: a bucket inside a value is no leaf", p.id))
		}
	}
	return nil
}

// bytes returns n bytes of a page; the caller has checked that it has them.
func (in *inspector) bytes(p *page, from, n int64) ([]byte, error) {
	if from+n <= int64(len(p.first)) {
		return p.first[from : from+n], nil
	}
	b := make([]byte, n)
	return b, in.readAt(b, p.at+from)
}

func (in *inspector) readAt(b []byte, at int64) error {
	_, err := in.file.ReadAt(b, at)
	if errors.Is(err, io.EOF) {
		return damaged(fmt.Sprintf("it ends before byte %d", at+int64(len(b))))
	}
	return err
}
