package picture

import (
	"container/list"
	"sync"
)

// cached is how many pictures are kept: at some 20 kB each, two megabytes.
const cached = 100

// cache keeps the pictures that were drawn last.
type cache struct {
	mu    sync.Mutex
	most  int
	order *list.List // newest first; of entry
	of    map[string]*list.Element
}

type entry struct {
	key string
	png []byte
}

func newCache(most int) *cache {
	return &cache{most: most, order: list.New(), of: map[string]*list.Element{}}
}

func (c *cache) get(key string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.of[key]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(e)
	return e.Value.(entry).png, true
}

func (c *cache) put(key string, png []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.of[key]; ok {
		return
	}
	c.of[key] = c.order.PushFront(entry{key, png})
	if c.order.Len() > c.most {
		old := c.order.Remove(c.order.Back()).(entry)
		delete(c.of, old.key)
	}
}
