package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpulse"
)

func planted() string {
	if canary, ok := os.LookupEnv("MCPULSE_HARNESS_CANARY"); ok {
		return canary
	}
	return "canary"
}

type (
	result = mcp.CallToolResult
	object = map[string]any
	none   struct{}
)

func text(said string) *result {
	return &result{Content: []mcp.Content{&mcp.TextContent{Text: said}}}
}

// simple is a handler that needs nothing but its arguments.
func simple[In any](answer func(In) (*result, error)) mcp.ToolHandlerFor[In, any] {
	return func(_ context.Context, _ *mcp.CallToolRequest, in In) (*result, any, error) {
		answered, err := answer(in)
		return answered, nil, err
	}
}

func saying(said string) mcp.ToolHandlerFor[object, any] {
	return simple(func(object) (*result, error) { return text(said), nil })
}

// anything is the schema of a tool without declared arguments.
const anything = `{"type":"object"}`

// schema is one of these properties, each as NAME, its schema; all of them are required.
func schema(properties ...string) string {
	var members, names []string
	for i := 0; i < len(properties); i += 2 {
		members = append(members, `"`+properties[i]+`":`+properties[i+1])
		names = append(names, `"`+properties[i]+`"`)
	}
	return `{"type":"object","properties":{` + strings.Join(members, ",") + `},"required":[` + strings.Join(names, ",") + `]}`
}

const (
	integer = `{"type":"integer"}`
	str     = `{"type":"string"}`
)

// add registers a tool that says its own name.
func (k *kit) add(server *mcp.Server, name string) {
	register(k, server, name, "Came later.", anything, saying(name))
}

// register registers a tool by the API that the flags ask for.
func register[In any](k *kit, server *mcp.Server, name, description, schema string, handler mcp.ToolHandlerFor[In, any]) {
	tool := &mcp.Tool{Name: name, Description: description, InputSchema: json.RawMessage(schema)}
	if k.api == "low" {
		server.AddTool(tool, byHand(schema, handler))
	} else {
		mcpulse.AddTool(server, tool, handler)
	}
}

// byHand does what mcp.AddTool does for others.
func byHand[In any](source string, handler mcp.ToolHandlerFor[In, any]) mcp.ToolHandler {
	var schema jsonschema.Schema
	if err := json.Unmarshal([]byte(source), &schema); err != nil {
		panic(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		panic(err)
	}
	return func(ctx context.Context, request *mcp.CallToolRequest) (*result, error) {
		arguments := request.Params.Arguments
		if len(arguments) == 0 || string(arguments) == "null" {
			arguments = json.RawMessage("{}")
		}
		var value any
		var in In
		err := json.Unmarshal(arguments, &value)
		if err == nil {
			err = resolved.Validate(value)
		}
		if err == nil {
			err = json.Unmarshal(arguments, &in)
		}
		if err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "wrong arguments"}
		}
		answer, out, err := handler(ctx, request, in)
		if err != nil || out == nil {
			return answer, err
		}
		structured, err := json.Marshal(out)
		if err != nil {
			return nil, err
		}
		answer = text(string(structured))
		answer.StructuredContent = json.RawMessage(structured)
		return answer, nil
	}
}

type price struct {
	ID     string  `json:"id"`
	Amount float64 `json:"amount"`
}

func order(_ context.Context, _ *mcp.CallToolRequest, in price) (*result, any, error) {
	return nil, map[string]price{"order": in}, nil
}

var empties = map[string]*result{
	"no_parts": {Content: []mcp.Content{}}, "blank": text(" \n\t"), "null": text("null"), "list": text("[]"), "object": text("{}"),
}

func (k *kit) tools(server *mcp.Server) {
	register(k, server, "echo", "Says back what it got.", anything, simple(func(in object) (*result, error) {
		said, err := json.Marshal(in)
		return text(string(said)), err
	}))
	register(k, server, "fast", "Is done at once.", anything, saying("done"))
	register(k, server, "slow", "Takes its time.", schema("ms", integer), slow)
	register(k, server, "empty", "Answers nothing.",
		schema("kind", `{"type":"string","enum":["no_parts","blank","null","list","object"]}`),
		simple(func(in struct {
			Kind string `json:"kind"`
		}) (*result, error) {
			answer := *empties[in.Kind]
			return &answer, nil
		}))
	register(k, server, "reply", "Answers what it is told to.", schema("result", `{"type":"object"}`),
		simple(func(in struct {
			Result json.RawMessage `json:"result"`
		}) (*result, error) {
			var told result
			err := json.Unmarshal(in.Result, &told)
			return &told, err
		}))
	register(k, server, "error", "Fails, and says so.", anything, simple(func(object) (*result, error) {
		answer := text("no such order")
		answer.IsError = true
		return answer, nil
	}))
	register(k, server, "crash", "Breaks.", anything, simple(func(object) (*result, error) {
		return nil, errors.New("boom " + planted())
	}))
	register(k, server, "strict", "Takes an id and a note, and nothing else.",
		`{"type":"object","properties":{"id":{"type":"integer","minimum":1},"note":{"type":"string"}},"required":["id"],"additionalProperties":false}`,
		saying("ok"))
	register(k, server, "huge", "Answers a lot.", `{"type":"object","properties":{"units":{"type":"integer"}}}`,
		simple(func(in struct {
			Units *int `json:"units"`
		}) (*result, error) {
			units := 1_000_000
			if in.Units != nil {
				units = *in.Units
			}
			return text(strings.Repeat("x", units)), nil
		}))
	register(k, server, "unicode", "Answers in many scripts.", anything, saying("café 🚀 東京"))
	description, _ := json.Marshal("Such as " + planted() + ".")
	register(k, server, "canary", "Keeps a secret: "+planted()+".",
		schema("secret", `{"type":"string","description":`+string(description)+`}`),
		simple(func(in struct {
			Secret string `json:"secret"`
		}) (*result, error) {
			return text(planted() + " " + in.Secret), nil
		}))
	register(k, server, "price_a", "The price of an order.", schema("id", str, "amount", `{"type":"number"}`), order)
	register(k, server, "price_b", "The price of an order, from elsewhere.", schema("id", str, "amount", `{"type":"number"}`), order)
	register(k, server, "never_called", "Nobody calls it.", anything, saying("done"))
	register(k, server, "grow", "Adds a tool.", anything, simple(func(object) (*result, error) {
		k.grown.Store(true)
		k.add(server, "grown")
		return text("grown"), nil
	}))
	register(k, server, "quit", "Ends the program.", `{"type":"object","properties":{"code":{"type":"integer"},"how":{"type":"string"}},"required":["code"]}`,
		simple(func(in struct {
			Code int    `json:"code"`
			How  string `json:"how"`
		}) (*result, error) {
			// The answer goes out first.
			time.AfterFunc(50*time.Millisecond, func() { k.quits <- quit{in.Code, in.How == "uncaught"} })
			return text("bye"), nil
		}))
	register(k, server, "ask", "Asks for a name.", anything, ask)
	if k.grown.Load() {
		k.add(server, "grown")
	}
}

func slow(ctx context.Context, _ *mcp.CallToolRequest, in struct {
	Ms int `json:"ms"`
}) (*result, any, error) {
	select {
	case <-time.After(time.Duration(in.Ms) * time.Millisecond):
		return text("done"), nil, nil
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

// ask asks for a name: the first answer is a question.
func ask(_ context.Context, request *mcp.CallToolRequest, _ object) (*result, any, error) {
	if answer, ok := request.Params.InputResponses["who"].(*mcp.ElicitResult); ok {
		name, _ := answer.Content["name"].(string)
		return text("hello " + name), nil, nil
	}
	return &result{InputRequests: mcp.InputRequestMap{"who": &mcp.ElicitParams{
		Message: "Who?", RequestedSchema: json.RawMessage(schema("name", str)),
	}}}, nil, nil
}
