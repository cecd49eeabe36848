package boltstore

import (
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
// It finds what would make bbolt panic, fault or never end: pages that are
// missing, out of place, used twice or that point outside themselves. The
// order of keys is left to bbolt, which reports it properly.
type inspector struct {
	file     io.ReaderAt
	pageSize int64
	end      uint64   // first page id past the pages in use
	seen     []uint64 // a bit a page
	pages    uint64
}

// page is one page's header with its table of elements.
type page struct {
	id       uint64
	flags    uint16
	count    int
	size     int64 // with its overflow pages
	elements []byte
}

// inspect walks the file that db has open and locked, and returns the number
// of pages in use. Any error but one of reading is an ErrDamaged.
func inspect(db *bolt.DB, file *os.File) (pages int, err error) {
	in := &inspector{file: file, pageSize: int64(db.Info().PageSize)}
	var root, size uint64
	err = db.View(func(btx *bolt.Tx) error {
		root, size = uint64(btx.Cursor().Bucket().Root()), uint64(btx.Size())
		return nil
	})
	if err != nil {
		return 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	if size > uint64(info.Size()) {
		return 0, damaged(fmt.Sprintf("it is cut off: %d of %d bytes are left", info.Size(), size))
	}
	in.end = size / uint64(in.pageSize)
	in.seen = make([]uint64, in.end/64+1)
	if err := in.walk(root, 0); err != nil {
		return 0, err
	}
	return int(in.pages), nil
}

func (in *inspector) walk(id uint64, depth int) error {
	if depth > maxDepth {
		return damaged(fmt.Sprintf("page %d: the tree is too deep", id))
	}
	p, err := in.read(id)
	if err != nil {
		return err
	}
	for i := range p.count {
		element := p.elements[i*elementSize:][:elementSize]
		if p.flags == branchPage {
			err = in.branch(p, i, element, depth)
		} else {
			err = in.leaf(p, i, element, depth)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// read reads and checks the page's header, and marks its pages as used.
func (in *inspector) read(id uint64) (*page, error) {
	if id < 2 || id >= in.end {
		return nil, damaged(fmt.Sprintf("page %d is referred to but lies outside the file", id))
	}
	first := make([]byte, in.pageSize)
	if err := in.readAt(first, int64(id)*in.pageSize); err != nil {
		return nil, err
	}
	p, err := parseHeader(first)
	if err != nil {
		return nil, damaged(fmt.Sprintf("page %d: %v", id, err))
	}
	overflow := uint64(binary.NativeEndian.Uint32(first[12:]))
	if p.id != id || overflow >= in.end-id {
		return nil, damaged(fmt.Sprintf("page %d calls itself page %d with %d more", id, p.id, overflow))
	}
	for i := id; i <= id+overflow; i++ {
		if in.seen[i/64]&(1<<(i%64)) != 0 {
			return nil, damaged(fmt.Sprintf("page %d is used twice", i))
		}
		in.seen[i/64] |= 1 << (i % 64)
		in.pages++
	}
	p.size = int64(overflow+1) * in.pageSize
	table := int64(p.count) * elementSize
	if headerSize+table > p.size {
		return nil, damaged(fmt.Sprintf("page %d has no room for its %d elements", id, p.count))
	}
	if headerSize+table <= in.pageSize {
		p.elements = first[headerSize : headerSize+table]
		return p, nil
	}
	p.elements = make([]byte, table)
	return p, in.readAt(p.elements, int64(id)*in.pageSize+headerSize)
}

func (in *inspector) branch(p *page, i int, element []byte, depth int) error {
	pos, ksize := binary.NativeEndian.Uint32(element), binary.NativeEndian.Uint32(element[4:])
	if !p.holds(i, pos, ksize, 0) {
		return damaged(fmt.Sprintf("page %d: key %d lies outside it", p.id, i))
	}
	return in.walk(binary.NativeEndian.Uint64(element[8:]), depth+1)
}

func (in *inspector) leaf(p *page, i int, element []byte, depth int) error {
	flags, pos := binary.NativeEndian.Uint32(element), binary.NativeEndian.Uint32(element[4:])
	ksize, vsize := binary.NativeEndian.Uint32(element[8:]), binary.NativeEndian.Uint32(element[12:])
	if !p.holds(i, pos, ksize, vsize) {
		return damaged(fmt.Sprintf("page %d: record %d lies outside it", p.id, i))
	}
	if flags&bucketFlag == 0 {
		return nil
	}
	if vsize < inBucket || vsize > maxBucketValue {
		return damaged(fmt.Sprintf("page %d: bucket %d has a header of %d bytes", p.id, i, vsize))
	}
	value := make([]byte, vsize)
	at := int64(p.id)*in.pageSize + elementAt(i) + int64(pos) + int64(ksize)
	if err := in.readAt(value, at); err != nil {
		return err
	}
	if root := binary.NativeEndian.Uint64(value); root != 0 {
		return in.walk(root, depth+1)
	}
	if err := checkInline(value[inBucket:]); err != nil {
		return damaged(fmt.Sprintf("page %d: bucket %d: %v", p.id, i, err))
	}
	return nil
}

// checkInline checks the page of a bucket small enough to live in a value.
func checkInline(b []byte) error {
	if len(b) < headerSize {
		return errors.New("its page is cut off")
	}
	p, err := parseHeader(b)
	if err != nil {
		return err
	}
	p.size = int64(len(b))
	if p.flags != leafPage || headerSize+int64(p.count)*elementSize > p.size {
		return errors.New("its page is no leaf")
	}
	for i := range p.count {
		element := b[headerSize+i*elementSize:]
		pos, ksize := binary.NativeEndian.Uint32(element[4:]), binary.NativeEndian.Uint32(element[8:])
		if !p.holds(i, pos, ksize, binary.NativeEndian.Uint32(element[12:])) ||
			binary.NativeEndian.Uint32(element)&bucketFlag != 0 {
			return fmt.Errorf("record %d lies outside it", i)
		}
	}
	return nil
}

func parseHeader(b []byte) (*page, error) {
	p := &page{
		id:    binary.NativeEndian.Uint64(b),
		flags: binary.NativeEndian.Uint16(b[8:]),
		count: int(binary.NativeEndian.Uint16(b[10:])),
	}
	if p.flags != leafPage && (p.flags != branchPage || p.count == 0) {
		return nil, fmt.Errorf("no page of a tree (type %#x, %d elements)", p.flags, p.count)
	}
	return p, nil
}

// elementAt is where element i starts, counted from the start of its page;
// an element's position counts from there.
func elementAt(i int) int64 { return headerSize + int64(i)*elementSize }

func (p *page) holds(i int, pos, ksize, vsize uint32) bool {
	return elementAt(i)+int64(pos)+int64(ksize)+int64(vsize) <= p.size
}

func (in *inspector) readAt(b []byte, at int64) error {
	_, err := in.file.ReadAt(b, at)
	if errors.Is(err, io.EOF) {
		return damaged(fmt.Sprintf("it ends before byte %d", at+int64(len(b))))
	}
	return err
}
