package mcpulse.kotlin

import io.modelcontextprotocol.kotlin.sdk.shared.Transport
import io.modelcontextprotocol.kotlin.sdk.types.JSONRPCMessage
import io.modelcontextprotocol.kotlin.sdk.types.JSONRPCRequest
import io.modelcontextprotocol.kotlin.sdk.types.LATEST_PROTOCOL_VERSION
import io.modelcontextprotocol.kotlin.sdk.types.Method
import io.modelcontextprotocol.kotlin.sdk.types.SUPPORTED_PROTOCOL_VERSIONS
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive

/**
 * The same transport, with an ear on the handshake. The MCP SDK tells of a session only when it is reading already:
 * over stdio a client may have shaken hands by then, and the version of the protocol would not be known.
 */
public fun Transport.watched(): Transport = this as? WatchedTransport ?: WatchedTransport(this)

internal class WatchedTransport(val transport: Transport) : Transport by transport {
    /** The version of the protocol that the server answered with, or will. */
    @Volatile
    var protocol: String? = null
        private set

    override fun onMessage(block: suspend (JSONRPCMessage) -> Unit) {
        transport.onMessage { message ->
            if (message is JSONRPCRequest && message.method == Method.Defined.Initialize.value) {
                val wanted = ((message.params as? JsonObject)?.get("protocolVersion") as? JsonPrimitive)?.content
                protocol = if (wanted in SUPPORTED_PROTOCOL_VERSIONS) wanted else LATEST_PROTOCOL_VERSION
            }
            block(message)
        }
    }
}
