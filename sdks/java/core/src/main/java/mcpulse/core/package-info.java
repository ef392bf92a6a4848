/** What the producers of the JVM share: options, the ring and what leaves it. Knows no MCP SDK. */
package mcpulse.core;
