package shop

import io.modelcontextprotocol.kotlin.sdk.server.Server
import io.modelcontextprotocol.kotlin.sdk.server.ServerOptions
import io.modelcontextprotocol.kotlin.sdk.server.StdioServerTransport
import io.modelcontextprotocol.kotlin.sdk.types.CallToolResult
import io.modelcontextprotocol.kotlin.sdk.types.Implementation
import io.modelcontextprotocol.kotlin.sdk.types.ServerCapabilities
import io.modelcontextprotocol.kotlin.sdk.types.TextContent
import io.modelcontextprotocol.kotlin.sdk.types.ToolSchema
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.runBlocking
import kotlinx.io.asSink
import kotlinx.io.asSource
import kotlinx.io.buffered
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.jsonPrimitive
import kotlinx.serialization.json.put
import kotlinx.serialization.json.putJsonObject
import mcpulse.kotlin.watch
import mcpulse.kotlin.watched

private val orders = mapOf("o-1" to "shipped", "o-2" to "paid")

/** A small shop over stdio, watched. */
fun main() = runBlocking {
    // Its logging library would greet on standard output, which is the protocol's.
    System.setProperty("kotlin-logging.logStartupMessage", "false")
    val options = ServerOptions(ServerCapabilities(tools = ServerCapabilities.Tools(listChanged = true)))
    val server = Server(Implementation("shop", "1"), options)
    server.watch { debug(System.getenv("MCPULSE_DEBUG") != null) }
    val schema = ToolSchema(
        properties = buildJsonObject { putJsonObject("id") { put("type", "string") } },
        required = listOf("id"),
    )
    server.addTool("order_status", "The status of an order.", schema) { request ->
        val found = orders[request.params.arguments?.get("id")?.jsonPrimitive?.content]
        CallToolResult(content = listOf(TextContent(found ?: "no such order")), isError = found == null)
    }
    val transport = StdioServerTransport(System.`in`.asSource().buffered(), System.out.asSink().buffered())
    val ended = CompletableDeferred<Unit>()
    server.createSession(transport.watched()).onClose { ended.complete(Unit) }
    ended.await()
}
