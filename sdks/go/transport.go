package mcpulse

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"time"
)

// answer is what an ingest said; status 0 stands for no answer.
type answer struct {
	status     int
	retryAfter string
	body       []byte
}

// transport sends one request, until the context ends.
type transport func(ctx context.Context, url string, header http.Header, body []byte) answer

const answerLimit = 1 << 16

// newTransport sends over HTTP: no proxy, no redirects (the key goes to its own endpoint only), no connection that is
// kept, and nothing that tries again by itself.
func newTransport() transport {
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true, DisableCompression: true, TLSHandshakeTimeout: requestTimeout},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return func(ctx context.Context, url string, header http.Header, body []byte) answer {
		// net/http repeats requests with an Idempotency-Key, unless it cannot read the body twice.
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, io.NopCloser(bytes.NewReader(body)))
		if err != nil {
			return answer{}
		}
		request.ContentLength = int64(len(body))
		request.Header = header
		response, err := client.Do(request)
		if err != nil {
			return answer{}
		}
		defer response.Body.Close()
		// The status has said what became of the batch: a body that breaks off changes nothing.
		said, _ := io.ReadAll(io.LimitReader(response.Body, answerLimit))
		return answer{response.StatusCode, response.Header.Get("Retry-After"), said}
	}
}

const longestWait = time.Hour

// waitOf is how long an ingest asks to be left alone: seconds or an HTTP date, at most an hour, 0 for nonsense.
func waitOf(retryAfter string, now time.Time) time.Duration {
	text := strings.TrimSpace(retryAfter)
	if text == "" {
		return 0
	}
	if strings.Trim(text, "0123456789") == "" {
		seconds := 0
		for _, digit := range text {
			seconds = min(seconds*10+int(digit-'0'), int(longestWait/time.Second))
		}
		return time.Duration(seconds) * time.Second
	}
	date, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return min(max(date.Sub(now), 0), longestWait)
}
