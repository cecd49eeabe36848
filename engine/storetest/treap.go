package storetest

import (
	"bytes"
	"hash/fnv"
)

// node is an immutable search tree of records: a change copies the path to
// it, so every root ever published stays a valid snapshot. Priorities come
// from the key's hash, which keeps the tree shallow and its shape a function
// of its content.
type node struct {
	key, value  []byte
	priority    uint64
	left, right *node
}

func (n *node) get(key []byte) []byte {
	for n != nil {
		switch order := bytes.Compare(key, n.key); {
		case order == 0:
			return n.value
		case order < 0:
			n = n.left
		default:
			n = n.right
		}
	}
	return nil
}

// put returns the tree with key set to value; it keeps both slices.
func (n *node) put(key, value []byte) *node {
	if n == nil {
		h := fnv.New64a()
		h.Write(key)
		return &node{key: key, value: value, priority: h.Sum64()}
	}
	c := *n
	switch order := bytes.Compare(key, n.key); {
	case order == 0:
		c.value = value
	case order < 0:
		c.left = n.left.put(key, value)
		if up := c.left; up.priority > c.priority {
			c.left, up.right = up.right, &c
			return up
		}
	default:
		c.right = n.right.put(key, value)
		if up := c.right; up.priority > c.priority {
			c.right, up.left = up.left, &c
			return up
		}
	}
	return &c
}

// remove returns the tree without key.
func (n *node) remove(key []byte) *node {
	if n == nil {
		return nil
	}
	c := *n
	switch order := bytes.Compare(key, n.key); {
	case order == 0:
		return join(n.left, n.right)
	case order < 0:
		c.left = n.left.remove(key)
	default:
		c.right = n.right.remove(key)
	}
	return &c
}

// join makes one tree of two, where every key of left is below right's.
func join(left, right *node) *node {
	switch {
	case left == nil:
		return right
	case right == nil:
		return left
	case left.priority > right.priority:
		c := *left
		c.right = join(left.right, right)
		return &c
	default:
		c := *right
		c.left = join(left, right.left)
		return &c
	}
}

// walk visits records with from <= key in order until visit returns false.
func (n *node) walk(from []byte, visit func(*node) bool) bool {
	if n == nil {
		return true
	}
	if bytes.Compare(from, n.key) > 0 {
		return n.right.walk(from, visit)
	}
	return n.left.walk(from, visit) && visit(n) && n.right.walk(nil, visit)
}
