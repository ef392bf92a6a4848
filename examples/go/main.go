// A watched MCP server over stdio, and a client that plays a short conversation with it.
//
//	go run .        plays the conversation; it starts the server itself
//	go run . serve  serves, for a client of yours
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpulse"
)

var stock = map[string]int{"kettle": 4, "teapot": 0, "cup": 31}

type query struct {
	Article string `json:"article" jsonschema:"the name of an article, such as kettle"`
}

type count struct {
	Article string `json:"article"`
	Pieces  int    `json:"pieces"`
}

type removal struct {
	Article string `json:"article" jsonschema:"the name of an article, such as kettle"`
	Pieces  int    `json:"pieces" jsonschema:"how many to take"`
}

func lookUp(_ context.Context, _ *mcp.CallToolRequest, in query) (*mcp.CallToolResult, count, error) {
	pieces, known := stock[in.Article]
	if !known {
		return refusal("there is no article of that name"), count{}, nil
	}
	return nil, count{in.Article, pieces}, nil
}

func take(_ context.Context, _ *mcp.CallToolRequest, in removal) (*mcp.CallToolResult, any, error) {
	if stock[in.Article] < in.Pieces {
		return refusal("there are not so many"), nil, nil
	}
	stock[in.Article] -= in.Pieces
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "taken"}}}, nil, nil
}

// refusal is an error that the model may read and act upon. A returned error is recorded as a crash.
func refusal(why string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: why}}, IsError: true}
}

func serve(ctx context.Context) error {
	server := mcp.NewServer(&mcp.Implementation{Name: "stock", Version: "1.0.0"}, nil)
	mcpulse.AddTool(server, &mcp.Tool{Name: "look_up", Description: "How many pieces of an article are left."}, lookUp)
	mcpulse.AddTool(server, &mcp.Tool{Name: "take", Description: "Takes pieces of an article out of the stock."}, take)

	// These two lines are all there is to it.
	mcpulse.Watch(server, &mcpulse.Options{Debug: os.Getenv("MCPULSE_DEBUG") == "1"})
	defer mcpulse.Flush(ctx)

	return server.Run(ctx, &mcp.StdioTransport{})
}

func play(ctx context.Context) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	command := exec.Command(program, "serve")
	command.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "example-client", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		return err
	}
	for _, call := range []*mcp.CallToolParams{
		{Name: "look_up", Arguments: map[string]any{"article": "kettle"}},
		{Name: "take", Arguments: map[string]any{"article": "kettle", "pieces": 2}},
		{Name: "look_up", Arguments: map[string]any{"article": "samovar"}},
		{Name: "take", Arguments: map[string]any{"article": "cup"}},
	} {
		result, err := session.CallTool(ctx, call)
		if err != nil {
			return err
		}
		for _, part := range result.Content {
			if text, ok := part.(*mcp.TextContent); ok {
				fmt.Printf("%s: %s\n", call.Name, text.Text)
			}
		}
	}
	return session.Close()
}

func main() {
	run := play
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		run = serve
	}
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}
