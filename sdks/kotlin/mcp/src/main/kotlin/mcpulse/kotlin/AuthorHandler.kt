package mcpulse.kotlin

import io.modelcontextprotocol.kotlin.sdk.server.ClientConnection
import io.modelcontextprotocol.kotlin.sdk.shared.RequestHandlerExtra
import io.modelcontextprotocol.kotlin.sdk.types.CallToolRequest
import io.modelcontextprotocol.kotlin.sdk.types.CallToolResult
import io.modelcontextprotocol.kotlin.sdk.types.McpException
import io.modelcontextprotocol.kotlin.sdk.types.RPCError
import io.modelcontextprotocol.kotlin.sdk.types.UrlElicitationRequiredException
import java.util.concurrent.ConcurrentHashMap
import kotlin.coroutines.cancellation.CancellationException
import kotlinx.coroutines.currentCoroutineContext
import mcpulse.core.Call

/** The calls being served, by what the MCP SDK makes for each request and puts into its context. */
internal typealias Serving = ConcurrentHashMap<RequestHandlerExtra, Call>

/**
 * The inner layer: the author's own code, which either ran or did not.
 *
 * @param unseen serves a request that the outer layer has not seen: its session may be seconds old
 */
internal class AuthorHandler(
    private val author: suspend ClientConnection.(CallToolRequest) -> CallToolResult,
    private val serving: Serving,
    private val unseen: UnseenRequests,
) : suspend (ClientConnection, CallToolRequest) -> CallToolResult {
    override suspend fun invoke(connection: ClientConnection, request: CallToolRequest): CallToolResult {
        val extra = currentCoroutineContext()[RequestHandlerExtra] ?: return author(connection, request)
        val call = serving[extra] ?: return unseen.serve(connection, request, extra) { observed(connection, request, it) }
        return observed(connection, request, call)
    }

    private suspend fun observed(connection: ClientConnection, request: CallToolRequest, call: Call?): CallToolResult {
        if (call == null) return author(connection, request)
        call.running()
        try {
            val result = author(connection, request)
            call.returned(result.isError == true)
            return result
        } catch (cancelled: CancellationException) {
            throw cancelled
        } catch (raised: Throwable) {
            call.raisedBy(raised)
            throw raised
        }
    }
}

/** Requests that came before their session's handlers were observed. */
internal fun interface UnseenRequests {
    suspend fun serve(
        connection: ClientConnection,
        request: CallToolRequest,
        extra: RequestHandlerExtra,
        author: suspend (Call?) -> CallToolResult,
    ): CallToolResult
}

/** What was thrown, told by its type and code. The handler binds its own arguments: the MCP SDK does not. */
internal fun Call.raisedBy(raised: Throwable) {
    val code = (raised as? McpException)?.code
    when {
        raised is UrlElicitationRequiredException -> unrecorded("input required")
        code == RPCError.ErrorCode.INVALID_PARAMS || code == RPCError.ErrorCode.METHOD_NOT_FOUND -> refused()
        else -> raised(code != null && code !in FAILURES)
    }
}

/** Codes that the MCP SDK itself fails with; any other is the author's own. */
private val FAILURES = setOf(
    RPCError.ErrorCode.INTERNAL_ERROR,
    RPCError.ErrorCode.CONNECTION_CLOSED,
    RPCError.ErrorCode.REQUEST_TIMEOUT,
)
