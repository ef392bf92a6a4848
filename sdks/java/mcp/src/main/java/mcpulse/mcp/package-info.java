/** MCPulse for servers of {@code io.modelcontextprotocol.sdk:mcp}: {@link mcpulse.mcp.McpPulse}. */
package mcpulse.mcp;
