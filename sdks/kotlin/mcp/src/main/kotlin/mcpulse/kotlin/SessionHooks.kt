package mcpulse.kotlin

import io.modelcontextprotocol.kotlin.sdk.server.ServerOptions
import io.modelcontextprotocol.kotlin.sdk.server.ServerSession
import io.modelcontextprotocol.kotlin.sdk.server.StdioServerTransport
import io.modelcontextprotocol.kotlin.sdk.server.StreamableHttpServerTransport
import io.modelcontextprotocol.kotlin.sdk.shared.Protocol
import io.modelcontextprotocol.kotlin.sdk.shared.RequestHandlerExtra
import io.modelcontextprotocol.kotlin.sdk.types.CallToolRequest
import io.modelcontextprotocol.kotlin.sdk.types.CallToolRequestParams
import io.modelcontextprotocol.kotlin.sdk.types.CallToolResult
import io.modelcontextprotocol.kotlin.sdk.types.Implementation
import io.modelcontextprotocol.kotlin.sdk.types.InitializeResult
import io.modelcontextprotocol.kotlin.sdk.types.JSONRPCMessage
import io.modelcontextprotocol.kotlin.sdk.types.JSONRPCRequest
import io.modelcontextprotocol.kotlin.sdk.types.JSONRPCResponse
import io.modelcontextprotocol.kotlin.sdk.types.ListToolsRequest
import io.modelcontextprotocol.kotlin.sdk.types.McpJson
import io.modelcontextprotocol.kotlin.sdk.types.Method
import io.modelcontextprotocol.kotlin.sdk.types.RequestId
import io.modelcontextprotocol.kotlin.sdk.types.RequestResult
import io.modelcontextprotocol.kotlin.sdk.types.ServerCapabilities
import kotlin.coroutines.cancellation.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.job
import kotlinx.coroutines.launch
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import mcpulse.core.Call
import mcpulse.core.Surface
import mcpulse.core.Watcher
import mcpulse.wire.Canonical
import mcpulse.wire.JsonReader
import mcpulse.wire.Strings

internal typealias RequestHandler = suspend (JSONRPCRequest, RequestHandlerExtra) -> RequestResult?

/** The outer layer of one session: requests as they come in, and their answers. */
internal class SessionHooks(
    private val session: ServerSession,
    private val watcher: Watcher,
    private val tools: ServerTools?,
    private val serving: Serving = Serving(),
) {
    @Volatile
    private var protocol: String? = null
    private var listHandler: RequestHandler? = null

    /** Takes the place of the session's own handlers. False: they are watched already. */
    fun install(): Boolean {
        val own = session.requestHandlers
        if (own[CALL] is CallHandler) return false
        if (own[CALL] == null) watcher.say("recording nothing: this server has no handler for tools/call")
        listHandler = own[LIST]
        handlers.replace(session) { method, handler ->
            when (method) {
                CALL -> CallHandler(handler)
                LIST -> { request, extra -> listing(request, extra, handler) }
                INITIALIZE -> { request, extra -> initializing(request, extra, handler) }
                else -> handler
            }
        }
        session.onInitialized(::greeted)
        return true
    }

    private fun greeted() {
        try {
            watcher.surface().greeted(lister(), facts(null))
        } catch (_: Exception) {
            watcher.say("the tools could not be listed; trying again on the next request")
        }
    }

    private suspend fun initializing(
        request: JSONRPCRequest,
        extra: RequestHandlerExtra,
        handler: RequestHandler,
    ): RequestResult? {
        val result = handler(request, extra)
        protocol = (result as? InitializeResult)?.protocolVersion
        return result
    }

    private suspend fun listing(
        request: JSONRPCRequest,
        extra: RequestHandlerExtra,
        handler: RequestHandler,
    ): RequestResult? {
        val result = handler(request, extra)
        if (result != null) {
            val params = request.params as? JsonObject
            val partial = params?.get("cursor").let { it != null && it != JsonNull }
            watcher.surface().listed(partial, facts(params)) { received(request.id, result) }
        }
        return result
    }

    private inner class CallHandler(private val handler: RequestHandler) :
        suspend (JSONRPCRequest, RequestHandlerExtra) -> RequestResult? {
        override suspend fun invoke(request: JSONRPCRequest, extra: RequestHandlerExtra): RequestResult? {
            val call = begin(request.params as? JsonObject) ?: return handler(request, extra)
            serving[extra] = call
            // Where the tools are not the MCP SDK's, this handler is the author's code.
            if (tools == null) call.running()
            return observed(call, request.id, extra) { handler(request, extra) }
        }
    }

    /** Serves a call that began before this session was observed: a handler that throws is all that is missed. */
    suspend fun fromWithin(
        request: CallToolRequest,
        extra: RequestHandlerExtra,
        author: suspend (Call?) -> CallToolResult,
    ): CallToolResult {
        val params = McpJson.encodeToJsonElement(CallToolRequestParams.serializer(), request.params) as? JsonObject
        val call = begin(params) ?: return author(null)
        serving[extra] = call
        return observed(call, extra.requestId, extra) { author(call) }
    }

    private suspend fun <T : RequestResult?> observed(
        call: Call,
        id: RequestId,
        extra: RequestHandlerExtra,
        serve: suspend () -> T,
    ): T {
        try {
            val result = serve()
            if (isCancelled()) call.unrecorded(CANCELLED) else answered(call, id, result)
            return result
        } catch (ended: CancellationException) {
            if (isCancelled()) call.unrecorded(CANCELLED) else call.failed()
            throw ended
        } catch (raised: Throwable) {
            if (tools == null) call.raisedBy(raised)
            call.failed()
            throw raised
        } finally {
            serving.remove(extra)
        }
    }

    private suspend fun isCancelled(): Boolean = currentCoroutineContext().job.isCancelled

    private fun begin(params: JsonObject?): Call? = try {
        if (tools?.look() == true) watcher.surface().changed()
        if (watcher.surface().wants()) watcher.surface().calling(lister(), facts(params))
        val arguments = params?.get("arguments")
        val call = Call(
            watcher,
            text(params?.get("name")),
            Canonical.argsHash(arguments, JsonTrees),
            client(params),
            if (watcher.namesConversations()) conversation() else null,
        )
        val tool = text(params?.get("name"))?.let { tools?.find(it) }
        if (tool != null && !tool.inputSchema.accepts(arguments)) call.refused()
        call
    } catch (_: Exception) {
        watcher.unrecorded("a fault of the producer's")
        null
    }

    private fun answered(call: Call, id: RequestId, result: RequestResult?) {
        if (call.isOver) return
        val received = try {
            result?.let { received(id, it) }
        } catch (_: Exception) {
            call.failed()
            return
        }
        if (tools == null) call.returned((received as? Map<*, *>)?.get("isError") == true)
        call.answered(received)
    }

    /** A result as the client receives it. */
    private fun received(id: RequestId, result: RequestResult): Any? {
        val text = McpJson.encodeToString(JSONRPCMessage.serializer(), JSONRPCResponse(id, result))
        // Half a surrogate pair has no UTF-8: a question mark is written.
        return (JsonReader.read(Strings.wellFormed(text, '?')) as Map<*, *>)["result"]
    }

    private fun lister() = Surface.Lister { cursor, got, failed ->
        val handler = listHandler
        if (handler == null) {
            failed.run()
        } else {
            val params = if (cursor == null) JsonObject(emptyMap()) else JsonObject(mapOf("cursor" to JsonPrimitive(cursor)))
            val request = JSONRPCRequest(RequestId("mcpulse"), LIST, params)
            lists.launch {
                try {
                    val result = handler(request, extraFor(request)) ?: error("no list")
                    got.accept(received(request.id, result))
                } catch (ended: CancellationException) {
                    failed.run()
                    throw ended
                } catch (_: Exception) {
                    failed.run()
                }
            }
        }
    }

    /** What a handler is given with a request; only the MCP SDK makes it. */
    private fun extraFor(request: JSONRPCRequest): RequestHandlerExtra {
        val transport = session.transport ?: error("not connected")
        val constructor = RequestHandlerExtra::class.java.declaredConstructors.first { it.parameterCount == 4 }
        constructor.isAccessible = true
        return constructor.newInstance(request.id, Method.Defined.ToolsList, session, transport) as RequestHandlerExtra
    }

    private fun facts(params: JsonObject?) = Surface.Facts(client(params), protocol ?: (session.transport as? WatchedTransport)?.protocol, transport())

    private fun own() = session.transport.let { if (it is WatchedTransport) it.transport else it }

    private fun transport(): String? = when (val transport = own()) {
        null -> null
        is StdioServerTransport -> "stdio"
        is StreamableHttpServerTransport -> "http"
        else -> if (transport.javaClass.name.startsWith("io.modelcontextprotocol.")) "http" else null
    }

    private fun conversation(): String? = (own() as? StreamableHttpServerTransport)?.sessionId

    private fun client(params: JsonObject?): String? {
        val info = (params?.get("_meta") as? JsonObject)?.get(CLIENT_INFO) as? JsonObject
        return text(info?.get("name")) ?: session.clientVersion?.name
    }

    private fun text(element: JsonElement?): String? = (element as? JsonPrimitive)?.takeIf { it.isString }?.content

    companion object {
        /**
         * Has everything loaded that [install] needs: by then the session is reading, and what comes before it is
         * done is not observed.
         */
        fun prepare(watcher: Watcher) {
            val tools = ServerCapabilities.Tools(listChanged = false)
            val idle = ServerSession(Implementation("", ""), ServerOptions(ServerCapabilities(tools = tools)), null)
            idle.setRequestHandler<ListToolsRequest>(Method.Defined.ToolsList) { _, _ -> null }
            idle.setRequestHandler<CallToolRequest>(Method.Defined.ToolsCall) { _, _ -> null }
            SessionHooks(idle, watcher, tools = null).install()
        }

        private const val CANCELLED = "cancelled"
        private const val CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
        private val CALL = Method.Defined.ToolsCall.value
        private val LIST = Method.Defined.ToolsList.value
        private val INITIALIZE = Method.Defined.Initialize.value
        private val handlers = PersistentField<RequestHandler>(Protocol::class.java, "_requestHandlers")

        /** Lists that no client asked for; nothing waits for them. */
        private val lists = CoroutineScope(SupervisorJob() + Dispatchers.Default)
    }
}
