package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestTheConversation plays it, against an ingest that notes how each call ended.
func TestTheConversation(t *testing.T) {
	var mu sync.Mutex
	var outcomes []string
	ingest := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Batch []struct {
				Type, Outcome string
				ToolName      string `json:"tool_name"`
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, one := range body.Batch {
			if one.Type == "call" {
				outcomes = append(outcomes, one.ToolName+" "+one.Outcome)
			}
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	defer ingest.Close()
	program := filepath.Join(t.TempDir(), "stock")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	command := exec.Command(program)
	command.Env = append(os.Environ(), "MCPULSE_KEY=mp_live_example", "MCPULSE_ENDPOINT="+ingest.URL)
	out, err := command.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "look_up: {\"article\":\"kettle\",\"pieces\":4}\ntake: taken\n") {
		t.Errorf("%v: %s", err, out)
	}
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(outcomes, ", "); got != "look_up ok, take ok, look_up tool_error, take bad_args" {
		t.Error(got)
	}
}
