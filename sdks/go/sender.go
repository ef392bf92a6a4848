package mcpulse

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mcpulse/wire"
)

const (
	ringCapacity   = 1000 // payloads, those of a waiting batch included
	batchSize      = 30
	batchAge       = 5 * time.Second
	retryInterval  = 5 * time.Second
	requestTimeout = 10 * time.Second
	maxStartups    = 20 // outside the ring; only a server with a surface for each user has more
	maxWorks       = 64
)

// flush asks for everything to be sent by a deadline.
type flush struct {
	deadline time.Time
	done     chan struct{}
	sent     bool
}

// sender has the ring and sends what is in it, from a goroutine of its own. What runs on the path of a call is push: a
// channel takes the payload, or gives back its oldest, and nothing is waited for.
type sender struct {
	loss   lossReport
	url    string
	header http.Header
	post   transport
	say    func(func() string)

	ring    chan wire.Payload
	works   chan func()
	flushes chan *flush
	wake    chan struct{}
	need    atomic.Int64 // the goroutine wants to be woken when the ring holds so many
	busy    atomic.Bool  // it has work in hand that may record something
	holds   atomic.Int64 // what it has taken from the ring and not yet got rid of, startups included
	start   sync.Once
	stopped chan struct{} // for tests

	// Only the goroutine touches what follows.
	carried     []byte // taken from the ring, and too large for the batch before
	batch       *batch // not yet answered
	startups    []leading
	startupDue  bool // they are worth a batch of their own
	oldestAt    time.Time
	notBefore   time.Time
	askedToWait time.Time // no request at all before this, not even at exit
}

func newSender(url string, header http.Header, post transport, say func(func() string)) *sender {
	s := &sender{
		url: url, header: header, post: post, say: say,
		ring:    make(chan wire.Payload, ringCapacity),
		works:   make(chan func(), maxWorks),
		flushes: make(chan *flush, maxWorks),
		wake:    make(chan struct{}, 1),
		stopped: make(chan struct{}),
	}
	s.need.Store(1)
	return s
}

// push takes a payload and never blocks: at capacity the oldest is dropped and counted.
func (s *sender) push(payload wire.Payload) {
	s.loss.recorded.Add(1)
	for {
		select {
		case s.ring <- payload:
			if int64(len(s.ring)) >= s.need.Load() {
				s.rouse()
			}
			return
		default:
		}
		select {
		case <-s.ring:
			s.loss.ringFull.Add(1)
		default:
		}
	}
}

// submit has the goroutine do something that would take too long here. False: it has too much to do already.
func (s *sender) submit(work func()) bool {
	select {
	case s.works <- work:
		s.rouse()
		return true
	default:
		return false
	}
}

func (s *sender) rouse() {
	s.need.Store(math.MaxInt64)
	select {
	case s.wake <- struct{}{}:
	default:
	}
	s.start.Do(func() { go s.run() })
}

// flush sends everything recorded so far, and tells whether all of it was taken before the context ended.
func (s *sender) flush(ctx context.Context, deadline time.Time) *flush {
	wanted := &flush{deadline: deadline, done: make(chan struct{})}
	// In this order: what is no longer in the one is seen in the next.
	if len(s.works) == 0 && !s.busy.Load() && len(s.ring) == 0 && s.holds.Load() == 0 {
		wanted.sent = true
		close(wanted.done)
		return wanted
	}
	select {
	case s.flushes <- wanted:
		s.rouse()
	case <-ctx.Done():
		close(wanted.done)
	}
	return wanted
}

func (s *sender) run() {
	for {
		select {
		case <-s.stopped:
			return
		default:
		}
		if !guarded(s.step) {
			// A fault of ours. Not its text: that may hold anything.
			s.say(func() string { return "not sending for now: a fault in the sender" })
			s.pause(time.Second)
		}
	}
}

func (s *sender) step() {
	s.busy.Store(true)
	defer s.busy.Store(false)
	for {
		select {
		case work := <-s.works:
			work()
			continue
		default:
		}
		break
	}
	select {
	case wanted := <-s.flushes:
		defer close(wanted.done)
		wanted.sent = s.drain(wanted.deadline)
		return
	default:
	}
	wait, something := s.wait()
	switch {
	case something && wait == 0:
		s.exchange(time.Now().Add(requestTimeout))
	default:
		s.busy.Store(false)
		s.sleep(wait, something)
	}
}

// wait is how long until something is due; false when there is nothing to send.
func (s *sender) wait() (time.Duration, bool) {
	now := time.Now()
	due := now
	count := len(s.ring)
	if s.carried != nil {
		count++
	}
	switch {
	case s.batch != nil, count >= batchSize:
	case count > 0, len(s.startups) > 0 && s.startupDue:
		if s.oldestAt.IsZero() {
			s.oldestAt = now
		}
		due = s.oldestAt.Add(batchAge)
	default:
		s.oldestAt = time.Time{}
		return 0, false
	}
	return max(0, due.Sub(now), s.notBefore.Sub(now)), true
}

func (s *sender) sleep(wait time.Duration, something bool) {
	need := int64(1)
	if something {
		need = batchSize
		if time.Now().Before(s.notBefore) {
			need = math.MaxInt64
		}
	}
	// Whoever pushes from here on wakes the goroutine; whoever did before is seen below.
	s.need.Store(need)
	if int64(len(s.ring)) >= need || len(s.works) > 0 || len(s.flushes) > 0 {
		return
	}
	if !something {
		select {
		case <-s.wake:
		case <-s.stopped:
		}
		return
	}
	s.pause(wait)
}

// pause waits until something happens, or so long.
func (s *sender) pause(wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-s.wake:
	case <-timer.C:
	case <-s.stopped:
	}
}

// lead makes this the startup that leads every batch until one is taken. Startups of older surfaces that were not
// taken go in front of it: the last one before a call says which tools it had.
func (s *sender) lead(surface string, startup *wire.Startup) {
	s.loss.recorded.Add(1)
	s.startups = append(s.startups, leading{surface: surface, startup: startup})
	s.startupDue = true
	if len(s.startups) > maxStartups {
		s.startups = slices.Delete(s.startups, 0, 1)
		s.loss.drop("too many surfaces", 1)
	}
	s.hold()
}

// hold notes what is out of the ring and not yet sent.
func (s *sender) hold() {
	held := len(s.startups)
	if !s.startupDue {
		held = 0
	}
	if s.carried != nil {
		held++
	}
	if s.batch != nil {
		held += len(s.batch.texts)
	}
	s.holds.Store(int64(held))
}

// report says what became of everything recorded.
func (s *sender) report() string {
	return fmt.Sprintf("%s, held %d", &s.loss, int64(len(s.ring))+s.holds.Load())
}

// exchange sends one batch, and tells whether it was taken.
func (s *sender) exchange(deadline time.Time) bool {
	if s.batch == nil {
		s.fill()
	}
	b := s.batch
	// A waiting batch counts as part of the ring, and as its oldest part.
	if surplus := min(len(s.ring)+len(b.texts)-ringCapacity, len(b.texts)); surplus > 0 {
		b.texts = b.texts[surplus:]
		s.loss.ringFull.Add(int64(surplus))
	}
	if b.empty() {
		s.batch = nil
		s.hold()
		return true
	}
	s.say(func() string {
		lines := make([]string, 0, len(b.texts)+1)
		for _, text := range b.payloads() {
			lines = append(lines, "sending "+string(text))
		}
		return strings.Join(lines, "\n")
	})
	header := s.header.Clone()
	header.Set("Idempotency-Key", b.key)
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	defer cancel()
	got := s.post(ctx, s.url, header, b.body())
	s.oldestAt = time.Time{}
	taken := s.answered(b, got)
	s.hold()
	return taken
}

// fill makes the next batch.
func (s *sender) fill() {
	// Before anything leaves the ring: a flush must see it in the one or in the other.
	s.holds.Add(1)
	defer s.hold()
	s.batch = newBatch()
	s.batch.lead(s.startups)
	for {
		text := s.carried
		s.carried = nil
		if text == nil {
			select {
			case payload := <-s.ring:
				var err error
				if text, err = payload.AppendJSON(nil); err != nil {
					s.loss.drop("not representable", 1)
					continue
				}
			default:
				return
			}
		}
		if !s.batch.add(text) {
			s.carried = text
			return
		}
	}
}

func (s *sender) answered(b *batch, got answer) bool {
	if got.status == http.StatusAccepted {
		s.taken(b)
		s.say(func() string { return "taken: " + printed(got.body) })
		return true
	}
	now := time.Now()
	// Spread out, so that a fleet does not come back at the same instant.
	s.notBefore = now.Add(retryInterval + rand.N(time.Second))
	switch got.status {
	case 0, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		s.askedToWait = now.Add(waitOf(got.retryAfter, now))
		if s.askedToWait.After(s.notBefore) {
			s.notBefore = s.askedToWait
		}
		s.say(func() string {
			return "not sent: " + said(got.status) + "; trying again in " + s.notBefore.Sub(now).Round(time.Second).String()
		})
	default:
		s.say(func() string { return "not sent: " + said(got.status) + "; " + plural(len(b.texts)) + " dropped" })
		s.loss.drop(said(got.status), len(b.texts))
		// Startups lead the next batch, but do not make one.
		s.startupDue = false
		s.batch = nil
	}
	return false
}

func (s *sender) taken(b *batch) {
	s.loss.sent.Add(int64(len(b.texts)))
	for _, sent := range b.startups {
		before := len(s.startups)
		s.startups = slices.DeleteFunc(s.startups, func(one leading) bool { return one.startup == sent.startup })
		s.loss.sent.Add(int64(before - len(s.startups)))
	}
	if len(s.startups) == 0 {
		s.startupDue = false
	}
	s.notBefore = time.Time{}
	s.batch = nil
}

// drain sends everything, now, and tells whether all of it was taken.
func (s *sender) drain(deadline time.Time) bool {
	for {
		if _, something := s.wait(); !something {
			return true
		}
		now := time.Now()
		if now.Before(s.askedToWait) || !now.Before(deadline) {
			return false
		}
		limit := now.Add(requestTimeout)
		if deadline.Before(limit) {
			limit = deadline
		}
		if !s.exchange(limit) {
			return false
		}
	}
}
