package mcpulse.harness

import io.modelcontextprotocol.kotlin.sdk.server.Server
import io.modelcontextprotocol.kotlin.sdk.server.ServerOptions
import io.modelcontextprotocol.kotlin.sdk.server.ServerSession
import io.modelcontextprotocol.kotlin.sdk.types.CallToolRequest
import io.modelcontextprotocol.kotlin.sdk.types.Implementation
import io.modelcontextprotocol.kotlin.sdk.types.ListToolsRequest
import io.modelcontextprotocol.kotlin.sdk.types.ListToolsResult
import io.modelcontextprotocol.kotlin.sdk.types.McpException
import io.modelcontextprotocol.kotlin.sdk.types.Method
import io.modelcontextprotocol.kotlin.sdk.types.RPCError
import io.modelcontextprotocol.kotlin.sdk.types.ServerCapabilities
import io.modelcontextprotocol.kotlin.sdk.types.ToolListChangedNotification
import java.util.concurrent.CopyOnWriteArrayList
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.intOrNull
import kotlinx.serialization.json.jsonObject
import mcpulse.core.Options
import mcpulse.kotlin.watch

private val implementation = Implementation("harness", "1")
private val options = ServerOptions(ServerCapabilities(tools = ServerCapabilities.Tools(listChanged = true)))

/** Servers of the MCP SDK with the kit's tools, watched or not. */
class Servers(private val flags: Flags) {
    /** Tools that servers have which are made from now on. */
    private val more = CopyOnWriteArrayList<KitTool>()

    private fun Options.configure() {
        debug(flags.debug)
        sessionPerConversation(flags.perConversation)
        policy("strict", "authorization")
        policy("never_called", "identity")
        agreement("amount", mapOf("price_a" to "/order/amount", "price_b" to "/order/amount"))
    }

    private fun attach(watch: () -> Unit) {
        if (flags.watched) repeat(if (flags.twice) 2 else 1) { watch() }
    }

    private fun grow(add: suspend (KitTool) -> Unit) = kitTool("grow") {
        if (more.isEmpty()) more += always("grown", "grown")
        add(more[0])
        text("grown")
    }

    /** A server object. */
    fun high(): Server {
        val server = Server(implementation, options)
        if (flags.early) attach { server.watch { configure() } }
        val tools = kitTools() + grow { server.addTools(listOf(it.registered())) } + more
        server.addTools(tools.map { it.registered() })
        if (!flags.early) attach { server.watch { configure() } }
        server.addTools(listOf(always("late", "late").registered()))
        return server
    }

    /** A session with handlers of its own. */
    fun low(): ServerSession {
        val session = ServerSession(implementation, options, null)
        val tools = CopyOnWriteArrayList(kitTools())
        tools += grow {
            tools += it
            session.notification(ToolListChangedNotification())
        }
        tools += more
        session.setRequestHandler<ListToolsRequest>(Method.Defined.ToolsList) { request, _ ->
            val start = position(request.params?.cursor)
            val end = minOf(tools.size.toLong(), start.toLong() + flags.page).toInt()
            val next = if (end < tools.size) end.toString() else null
            ListToolsResult(tools = tools.subList(start, end).map { it.tool }, nextCursor = next)
        }
        session.setRequestHandler<CallToolRequest>(Method.Defined.ToolsCall) { request, _ ->
            val tool = tools.find { it.tool.name == request.params.name }
            if (tool == null || !valid(tool, request.params.arguments)) {
                throw McpException(RPCError.ErrorCode.INVALID_PARAMS, "no such tool, or not with such arguments")
            }
            tool.run(request.params.arguments ?: JsonObject(emptyMap()))
        }
        attach { session.watch { configure() } }
        tools += always("late", "late")
        return session
    }

    /** The kit's schemas, by hand. */
    private fun valid(tool: KitTool, arguments: JsonObject?): Boolean {
        val given = arguments ?: JsonObject(emptyMap())
        val schema = tool.tool.inputSchema
        return schema.required.orEmpty().all { it in given } &&
            schema.properties.orEmpty().all { (name, property) -> given[name]?.let { fits(property.jsonObject, it) } ?: true }
    }

    private fun fits(property: JsonObject, value: JsonElement): Boolean {
        val primitive = value as? JsonPrimitive
        return when ((property["type"] as? JsonPrimitive)?.content) {
            "integer" -> primitive?.takeIf { !it.isString }?.intOrNull?.let { it >= if ("minimum" in property) 1 else Int.MIN_VALUE } == true
            "string" -> primitive?.isString == true
            else -> true
        }
    }
}
