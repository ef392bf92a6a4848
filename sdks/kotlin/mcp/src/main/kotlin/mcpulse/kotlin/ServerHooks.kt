package mcpulse.kotlin

import io.modelcontextprotocol.kotlin.sdk.server.ClientConnection
import io.modelcontextprotocol.kotlin.sdk.server.Server
import io.modelcontextprotocol.kotlin.sdk.shared.RequestHandlerExtra
import io.modelcontextprotocol.kotlin.sdk.types.CallToolRequest
import io.modelcontextprotocol.kotlin.sdk.types.CallToolResult
import mcpulse.core.Call
import mcpulse.core.Watcher

/**
 * What is observed of one server: its tools, and the sessions it has. Only the server holds it.
 *
 * The MCP SDK tells of a session when that has begun to read already. A request that was quicker is served by
 * handlers which are not observed yet; it is recorded from within the author's.
 */
internal class ServerHooks(private val server: Server, private val watcher: Watcher) : UnseenRequests {
    private val serving = Serving()
    val tools = ServerTools.of(server, serving, this)

    /** Observes every session. No error of ours may leave this: it would be the host's session that fails. */
    fun install() {
        try {
            for (session in server.sessions.values) SessionHooks(session, watcher, tools, serving).install()
        } catch (_: Exception) {
            watcher.say("not watching a session: it could not be attached to")
        }
    }

    override suspend fun serve(
        connection: ClientConnection,
        request: CallToolRequest,
        extra: RequestHandlerExtra,
        author: suspend (Call?) -> CallToolResult,
    ): CallToolResult {
        val session = server.sessions[connection.sessionId] ?: return author(null)
        install()
        return SessionHooks(session, watcher, tools, serving).fromWithin(request, extra, author)
    }
}
