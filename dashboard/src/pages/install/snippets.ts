/** How a producer is attached, language by language, with the key and this server's address filled in. */

export interface Target {
  key: string;
  endpoint: string;
}

export interface Snippet {
  id: string;
  label: string;
  /** What it is for, in a line. */
  about: string;
  /** Each block is copied on its own. */
  blocks: (target: Target) => { title: string; code: string }[];
}

const environment = ({ key, endpoint }: Target): { title: string; code: string } => ({
  title: "Environment of your MCP server",
  code: `MCPULSE_KEY=${key}\nMCPULSE_ENDPOINT=${endpoint}`,
});

const dependency = (artifact: string): string =>
  [
    "<dependency>",
    "  <groupId>mcpulse</groupId>",
    `  <artifactId>${artifact}</artifactId>`,
    "  <version>0.1.0</version>",
    "</dependency>",
  ].join("\n");

export const SNIPPETS: readonly Snippet[] = [
  {
    id: "typescript",
    label: "TypeScript",
    about: "For both generations of the official MCP SDK. The producer is sdks/typescript of the repository.",
    blocks: (target) => [
      environment(target),
      { title: "package.json", code: `"dependencies": {\n  "mcpulse": "file:../mcpulse/sdks/typescript"\n}` },
      {
        title: "Where the server is made",
        code: [
          `import { watch } from "mcpulse";`,
          "",
          `const server = watch(new McpServer({ name: "orders", version: "1.0.0" }));`,
        ].join("\n"),
      },
    ],
  },
  {
    id: "python",
    label: "Python",
    about: "For mcp 2, mcp 1 and FastMCP. The producer is sdks/python of the repository.",
    blocks: (target) => [
      environment(target),
      { title: "requirements.txt", code: "../mcpulse/sdks/python" },
      {
        title: "Where the server is made",
        code: ["from mcpulse import watch", "", 'server = watch(MCPServer("orders"))'].join("\n"),
      },
    ],
  },
  {
    id: "rust",
    label: "Rust",
    about:
      "For rmcp 3, over stdio and streamable HTTP. The producer is crates/sdk of the MCPulse repository.",
    blocks: (target) => [
      environment(target),
      {
        title: "Cargo.toml",
        code: `[dependencies]\nmcpulse = { path = "../mcpulse/crates/sdk", features = ["rmcp"] }`,
      },
      {
        title: "Where the server starts",
        code: [
          "// was: let service = MyServer::new().serve(stdio()).await?;",
          "let service = mcpulse::watch(MyServer::new()).serve(stdio()).await?;",
        ].join("\n"),
      },
      {
        title: "Or, with any other framework, where a tool is called",
        code: [
          "let pulse = mcpulse::Mcpulse::new(mcpulse::Options::new());",
          'let result = pulse.call("search").client("cursor").args(&arguments).record(|| search(&arguments));',
        ].join("\n"),
      },
    ],
  },
  {
    id: "go",
    label: "Go",
    about: "For github.com/modelcontextprotocol/go-sdk. The producer is sdks/go of the repository.",
    blocks: (target) => [
      environment(target),
      {
        title: "go.mod",
        code: "require mcpulse v0.1.0\n\nreplace mcpulse => ../mcpulse/sdks/go",
      },
      {
        title: "Where the server is made",
        code: [
          "mcpulse.Watch(server, nil)",
          "defer mcpulse.Flush(context.Background()) // in main: sends what is left, for a second at most",
        ].join("\n"),
      },
      {
        title: "Where a tool is added",
        code: ["// was: mcp.AddTool(server, tool, handler)", "mcpulse.AddTool(server, tool, handler)"].join(
          "\n",
        ),
      },
    ],
  },
  {
    id: "java",
    label: "Java",
    about:
      "For the official MCP SDK, with sessions and without. The producer is sdks/java of the repository.",
    blocks: (target) => [
      environment(target),
      { title: "Once, in a shell", code: "mvn -f ../mcpulse/sdks/java -DskipTests install" },
      { title: "pom.xml", code: dependency("mcpulse-java") },
      {
        title: "Where the server is made",
        code: [
          "import mcpulse.mcp.McpPulse;",
          "",
          'var server = McpPulse.watch(McpServer.sync(transport).serverInfo("orders", "1.0.0").build());',
        ].join("\n"),
      },
    ],
  },
  {
    id: "kotlin",
    label: "Kotlin",
    about: "For the official MCP SDK. The producer is sdks/kotlin of the repository, on top of sdks/java.",
    blocks: (target) => [
      environment(target),
      {
        title: "Once, in a shell",
        code: [
          "mvn -f ../mcpulse/sdks/java -DskipTests install",
          "mvn -f ../mcpulse/sdks/kotlin -DskipTests install",
        ].join("\n"),
      },
      { title: "pom.xml", code: dependency("mcpulse-kotlin") },
      {
        title: "Where the server is made",
        code: [
          "import mcpulse.kotlin.watch",
          "",
          'val server = Server(Implementation("orders", "1.0.0"), ServerOptions(capabilities)).watch()',
        ].join("\n"),
      },
    ],
  },
  {
    id: "http",
    label: "Anything else",
    about: "A producer is whatever can post JSON; the protocol is in spec/ and served at /v1/schema.",
    blocks: ({ key, endpoint }) => [
      {
        title: "One call, by hand",
        code: [
          `curl ${endpoint}/v1/ingest \\`,
          `  -H 'Authorization: Bearer ${key}' \\`,
          `  -H 'Content-Type: application/json' \\`,
          `  -d '{"batch":[{"v":1,"type":"call","session_id":"s_hello","client_name":"curl",`,
          `       "tool_name":"hello","started_at":"'$(date -u +%Y-%m-%dT%H:%M:%S.000Z)'",`,
          `       "duration_ms":12,"outcome":"ok","response_bytes":42,"is_empty":false,`,
          `       "args_hash":"44136fa355b3"}]}'`,
        ].join("\n"),
      },
    ],
  },
];
