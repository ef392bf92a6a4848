package mcpulse

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcpulse/wire"
)

// posted is one request that a fake ingest got.
type posted struct {
	at       time.Duration
	key      string
	body     string
	payloads []map[string]any
}

// fakeIngest answers requests in a bubble of testing/synctest, where time stands still until everybody waits.
type fakeIngest struct {
	t       *testing.T
	began   time.Time
	respond atomic.Value // func(n int, ctx context.Context) answer
	got     []posted
}

func (f *fakeIngest) post(ctx context.Context, _ string, header http.Header, body []byte) answer {
	var envelope struct{ Batch []map[string]any }
	if err := json.Unmarshal(body, &envelope); err != nil {
		f.t.Error(err)
	}
	f.got = append(f.got, posted{time.Since(f.began), header.Get("Idempotency-Key"), string(body), envelope.Batch})
	return f.respond.Load().(func(int, context.Context) answer)(len(f.got), ctx)
}

func status(code int) func(int, context.Context) answer {
	return func(int, context.Context) answer { return answer{status: code} }
}

// in runs a test of a sender in a bubble.
func in(t *testing.T, respond func(n int, ctx context.Context) answer, test func(s *sender, f *fakeIngest)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeIngest{t: t, began: time.Now()}
		f.respond.Store(respond)
		s := newSender("http://ingest/v1/ingest", http.Header{}, f.post, func(func() string) {})
		defer after(time.Minute)
		defer close(s.stopped)
		test(s, f)
	})
}

func pushes(s *sender, from, count int) {
	for i := range count {
		s.push(&wire.Call{SessionID: "s_0", ToolName: fmt.Sprint(from + i), Outcome: wire.OK, ArgsHash: wire.EmptyArgsHash})
	}
}

func (p *posted) tools() string {
	var names []string
	for _, payload := range p.payloads {
		name, _ := payload["tool_name"].(string)
		if name == "" {
			name, _ = payload["type"].(string)
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

func numbers(from, count int) string {
	var all []string
	for i := range count {
		all = append(all, fmt.Sprint(from+i))
	}
	return strings.Join(all, " ")
}

// after lets time pass.
func after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func expect[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}

func TestABatchLeavesAt30Payloads(t *testing.T) {
	in(t, status(202), func(s *sender, f *fakeIngest) {
		pushes(s, 0, 29)
		synctest.Wait()
		expect(t, "requests", len(f.got), 0)
		pushes(s, 29, 1)
		synctest.Wait()
		expect(t, "requests", len(f.got), 1)
		expect(t, "payloads", f.got[0].tools(), numbers(0, 30))
		expect(t, "time", f.got[0].at, 0)
		expect(t, "sent", s.loss.sent.Load(), 30)
	})
}

func TestABatchLeavesAfter5Seconds(t *testing.T) {
	in(t, status(202), func(s *sender, f *fakeIngest) {
		pushes(s, 0, 1)
		after(3 * time.Second)
		pushes(s, 1, 1)
		after(time.Minute)
		expect(t, "requests", len(f.got), 1)
		expect(t, "payloads", f.got[0].tools(), "0 1")
		expect(t, "time", f.got[0].at, 5*time.Second)
		pushes(s, 2, 1)
		after(time.Minute)
		expect(t, "time of the next", f.got[1].at, 68*time.Second)
	})
}

func TestRetriesAreTheSameBytes(t *testing.T) {
	respond := func(n int, _ context.Context) answer { return answer{status: []int{0, 503, 429, 202, 202}[n-1]} }
	in(t, respond, func(s *sender, f *fakeIngest) {
		pushes(s, 0, 30)
		after(time.Second)
		pushes(s, 30, 40)
		after(time.Minute)
		expect(t, "requests", len(f.got), 5)
		for i := 1; i < 4; i++ {
			expect(t, "body", f.got[i].body, f.got[0].body)
			expect(t, "key", f.got[i].key, f.got[0].key)
			if gap := f.got[i].at - f.got[i-1].at; gap < 5*time.Second || gap > 6*time.Second {
				t.Errorf("tried again after %v", gap)
			}
		}
		expect(t, "the next batch", f.got[4].tools(), numbers(30, 40))
		if f.got[4].key == f.got[0].key || len(f.got[0].key) != 32 {
			t.Errorf("keys %s, %s", f.got[0].key, f.got[4].key)
		}
		expect(t, "sent", s.loss.sent.Load(), 70)
	})
}

func TestRetryAfter(t *testing.T) {
	respond := func(n int, _ context.Context) answer {
		if n == 1 {
			return answer{status: 429, retryAfter: "120"}
		}
		return answer{status: 202}
	}
	in(t, respond, func(s *sender, f *fakeIngest) {
		pushes(s, 0, 30)
		after(time.Second)
		// Not even at the end.
		pushes(s, 30, 100)
		flush := s.flush(context.Background(), time.Now().Add(time.Second))
		<-flush.done
		expect(t, "flushed", flush.sent, false)
		after(10 * time.Minute)
		expect(t, "requests", len(f.got), 3)
		expect(t, "time", f.got[1].at, 2*time.Minute)
	})
}

func TestWaits(t *testing.T) {
	now := time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "nonsense": 0, "-1": 0, "1.5": 0, "7": 7 * time.Second, " 7 ": 7 * time.Second, "3601": time.Hour,
		"99999999999999999999999": time.Hour, "Tue, 28 Jul 2026 12:00:30 GMT": 30 * time.Second,
		"Tue, 28 Jul 2026 11:00:30 GMT": 0, "Tue, 28 Jul 2099 11:00:30 GMT": time.Hour,
	} {
		expect(t, text, waitOf(text, now), want)
	}
}

func TestAnyOtherAnswerEndsABatch(t *testing.T) {
	for _, code := range []int{200, 204, 302, 400, 401, 413, 500} {
		in(t, status(code), func(s *sender, f *fakeIngest) {
			s.submit(func() { s.lead("surface", &wire.Startup{SessionID: "s_0"}) })
			pushes(s, 0, 30)
			after(time.Minute)
			expect(t, "requests", len(f.got), 1)
			expect(t, "dropped", s.loss.dropped[fmt.Sprintf("answered %d", code)], 30)
			// The startup leads the next batch, but does not make one.
			pushes(s, 30, 1)
			after(time.Minute)
			expect(t, "the next", f.got[1].tools(), "startup 30")
		})
	}
}

func TestTheRing(t *testing.T) {
	in(t, status(0), func(s *sender, f *fakeIngest) {
		pushes(s, 0, 30)
		after(time.Second)
		pushes(s, 30, 975)
		expect(t, "dropped by push", s.loss.ringFull.Load(), 0)
		// The waiting batch is the oldest part of the ring: it gives way, under the same key.
		f.respond.Store(status(202))
		after(time.Minute)
		expect(t, "dropped", s.loss.ringFull.Load(), 5)
		expect(t, "what was left of the batch", f.got[1].tools(), numbers(5, 25))
		expect(t, "key", f.got[1].key, f.got[0].key)
		expect(t, "then as many as a request takes", f.got[2].tools(), numbers(30, 500))
		expect(t, "and the rest", f.got[3].tools(), numbers(530, 475))
		expect(t, "sent", s.loss.sent.Load(), 1000)

		f.respond.Store(status(0))
		pushes(s, 2000, 30)
		after(time.Second)
		pushes(s, 2030, 2470)
		expect(t, "held", len(s.ring), ringCapacity)
		after(time.Minute)
		report := s.report()
		expect(t, "report", report, "recorded 3505, sent 1000, dropped 1505 (ring full 1505), not recorded 0, held 1000")
	})
}

func TestARequestHasAMebibyte(t *testing.T) {
	in(t, status(202), func(s *sender, f *fakeIngest) {
		for range 60 {
			s.push(&wire.Agreement{Field: strings.Repeat("x", 50_000)})
		}
		after(time.Minute)
		expect(t, "requests", len(f.got), 3)
		sum := 0
		for _, one := range f.got {
			sum += len(one.payloads)
			if len(one.body) > maxBytes {
				t.Errorf("%d bytes", len(one.body))
			}
		}
		expect(t, "payloads", sum, 60)
	})
}

func TestStartupsLead(t *testing.T) {
	respond := func(n int, _ context.Context) answer {
		if n < 3 {
			return answer{}
		}
		return answer{status: 202}
	}
	in(t, respond, func(s *sender, f *fakeIngest) {
		s.submit(func() { s.lead("one", &wire.Startup{SessionID: "s_0", Tools: []wire.Tool{}}) })
		after(6 * time.Second)
		expect(t, "a startup makes a batch", f.got[0].tools(), "startup")
		// The ring runs over, and the startup stays.
		pushes(s, 0, 3000)
		s.submit(func() { s.lead("two", &wire.Startup{SessionID: "s_0", Tools: []wire.Tool{{Name: "two"}}}) })
		after(time.Minute)
		expect(t, "tried again", f.got[1].tools(), "startup")
		expect(t, "taken", f.got[2].tools(), "startup")
		// What a batch held when it was first sent stays: the newer startup leads the next.
		expect(t, "the next", f.got[3].tools(), "startup "+numbers(2000, 499))
		expect(t, "the last", f.got[4].tools(), numbers(2499, 500))
		for i := range 25 {
			s.submit(func() { s.lead(fmt.Sprint(i), &wire.Startup{Tools: []wire.Tool{}}) })
		}
		after(time.Second)
		expect(t, "too many", s.loss.dropped["too many surfaces"], 5)
	})
}

func TestAStartupIsNeverTooLarge(t *testing.T) {
	in(t, status(202), func(s *sender, f *fakeIngest) {
		huge := &wire.Startup{SessionID: "s_0", Tools: []wire.Tool{{Name: "one"}}}
		for range 100 {
			huge.Agreements = append(huge.Agreements, wire.DeclaredAgreement{Field: strings.Repeat("x", 20_000)})
		}
		s.submit(func() { other := *huge; s.lead("old", &other); s.lead("huge", huge) })
		after(time.Minute)
		expect(t, "requests", len(f.got), 2)
		for _, one := range f.got {
			if startup := one.payloads[0]; startup["agreements"] != nil || startup["tools"] == nil {
				t.Error("the agreements are what is left out")
			}
		}
	})
}

func TestFlush(t *testing.T) {
	in(t, status(202), func(s *sender, f *fakeIngest) {
		nothing := s.flush(context.Background(), time.Now().Add(time.Second))
		<-nothing.done
		expect(t, "nothing to send", nothing.sent, true)
		pushes(s, 0, 7)
		s.submit(func() { s.lead("one", &wire.Startup{}) })
		all := s.flush(context.Background(), time.Now().Add(time.Second))
		<-all.done
		expect(t, "sent", all.sent, true)
		expect(t, "payloads", f.got[0].tools(), "startup "+numbers(0, 7))
		expect(t, "time", f.got[0].at, 0)
	})
}

func TestFlushOfADeadIngest(t *testing.T) {
	hold := func(_ int, ctx context.Context) answer {
		<-ctx.Done()
		return answer{}
	}
	in(t, hold, func(s *sender, f *fakeIngest) {
		pushes(s, 0, 7)
		began := time.Now()
		wanted := s.flush(context.Background(), began.Add(time.Second))
		<-wanted.done
		expect(t, "sent", wanted.sent, false)
		expect(t, "it took", time.Since(began), time.Second)
		// A request may take 10 s.
		after(30 * time.Second)
		if gap := f.got[2].at - f.got[1].at; gap < 15*time.Second || gap > 16*time.Second {
			t.Errorf("the next request came after %v", gap)
		}
	})
}

// broken is a payload that cannot be written.
type broken struct{ panics bool }

func (b broken) AppendJSON(dst []byte) ([]byte, error) {
	if b.panics {
		panic("ours")
	}
	return dst, fmt.Errorf("not representable")
}

func TestFaultsInTheSender(t *testing.T) {
	in(t, status(202), func(s *sender, f *fakeIngest) {
		s.push(broken{})
		s.push(broken{panics: true})
		s.submit(func() { panic("ours") })
		pushes(s, 0, 30)
		after(time.Minute)
		expect(t, "payloads", f.got[0].tools(), numbers(0, 30))
		expect(t, "dropped", s.loss.dropped["not representable"], 1)
	})
}

func TestWorkIsBounded(t *testing.T) {
	in(t, status(202), func(s *sender, _ *fakeIngest) {
		release := make(chan struct{})
		s.submit(func() { <-release })
		synctest.Wait()
		taken := 0
		for range 1000 {
			if s.submit(func() {}) {
				taken++
			}
		}
		expect(t, "works", taken, maxWorks)
		close(release)
	})
}
