package mcpulse

import (
	"container/list"
	"iter"
	"maps"
	"slices"
	"sync"
)

// bounded is a map that forgets the least recently used entry beyond its capacity.
type bounded[K comparable, V any] struct {
	mu       sync.Mutex
	capacity int
	entries  map[K]*list.Element
	order    list.List // newest first
}

type boundedEntry[K comparable, V any] struct {
	key   K
	value V
}

func newBounded[K comparable, V any](capacity int) *bounded[K, V] {
	return &bounded[K, V]{capacity: capacity, entries: map[K]*list.Element{}}
}

// get returns the entry, which is thereby used.
func (b *bounded[K, V]) get(key K) (value V, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	element, ok := b.entries[key]
	if ok {
		b.order.MoveToFront(element)
		value = element.Value.(*boundedEntry[K, V]).value
	}
	return value, ok
}

// getOrMake returns the entry, and makes it when there is none; made tells which.
func (b *bounded[K, V]) getOrMake(key K, make func() V) (value V, made bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if element, ok := b.entries[key]; ok {
		b.order.MoveToFront(element)
		return element.Value.(*boundedEntry[K, V]).value, false
	}
	entry := &boundedEntry[K, V]{key, make()}
	b.entries[key] = b.order.PushFront(entry)
	if len(b.entries) > b.capacity {
		oldest := b.order.Back()
		b.order.Remove(oldest)
		delete(b.entries, oldest.Value.(*boundedEntry[K, V]).key)
	}
	return entry.value, true
}

func (b *bounded[K, V]) set(key K, value V) {
	b.mu.Lock()
	if element, ok := b.entries[key]; ok {
		element.Value.(*boundedEntry[K, V]).value = value
		b.order.MoveToFront(element)
		b.mu.Unlock()
		return
	}
	b.mu.Unlock()
	b.getOrMake(key, func() V { return value })
}

// add tells whether the key is new, and remembers it.
func (b *bounded[K, V]) add(key K, value V) bool {
	_, made := b.getOrMake(key, func() V { return value })
	return made
}

func keys[V any](m map[string]V) iter.Seq[string] { return maps.Keys(m) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
