package mcpulse.kotlin

import com.sun.net.httpserver.HttpServer
import io.ktor.client.HttpClient
import io.ktor.client.engine.cio.CIO
import io.ktor.client.plugins.sse.SSE
import io.ktor.server.engine.embeddedServer
import io.ktor.server.netty.Netty
import io.modelcontextprotocol.kotlin.sdk.client.Client
import io.modelcontextprotocol.kotlin.sdk.client.StdioClientTransport
import io.modelcontextprotocol.kotlin.sdk.client.StreamableHttpClientTransport
import io.modelcontextprotocol.kotlin.sdk.server.Server
import io.modelcontextprotocol.kotlin.sdk.server.ServerOptions
import io.modelcontextprotocol.kotlin.sdk.server.StdioServerTransport
import io.modelcontextprotocol.kotlin.sdk.server.mcpStreamableHttp
import io.modelcontextprotocol.kotlin.sdk.shared.Transport
import io.modelcontextprotocol.kotlin.sdk.types.CallToolResult
import io.modelcontextprotocol.kotlin.sdk.types.Implementation
import io.modelcontextprotocol.kotlin.sdk.types.McpException
import io.modelcontextprotocol.kotlin.sdk.types.ServerCapabilities
import io.modelcontextprotocol.kotlin.sdk.types.TextContent
import io.modelcontextprotocol.kotlin.sdk.types.ToolSchema
import java.io.PipedInputStream
import java.io.PipedOutputStream
import java.lang.ref.WeakReference
import java.net.InetAddress
import java.net.InetSocketAddress
import java.util.concurrent.CopyOnWriteArrayList
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import kotlinx.io.asSink
import kotlinx.io.asSource
import kotlinx.io.buffered
import mcpulse.wire.JsonReader
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Test

/** The MCP SDK's own client and server, over real transports. */
class ServersTest {
    private val payloads = CopyOnWriteArrayList<Map<*, *>>()

    /** An ingest that keeps what it gets. */
    private val ingest = HttpServer.create(InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0).apply {
        createContext("/v1/ingest") { exchange ->
            val body = JsonReader.read(exchange.requestBody.readAllBytes()) as Map<*, *>
            (body["batch"] as List<*>).forEach { payloads += it as Map<*, *> }
            exchange.sendResponseHeaders(202, -1)
            exchange.close()
        }
        start()
    }

    private fun server(name: String): Server {
        val options = ServerOptions(ServerCapabilities(tools = ServerCapabilities.Tools(listChanged = true)))
        val server = Server(Implementation("test", "1"), options)
        server.addTool("say", "Says.") { text("said 🚀") }
        assertSame(server, server.watch {
            key("mp_live_$name")
            endpoint("http://127.0.0.1:${ingest.address.port}")
        })
        server.addTool("fail", "Fails.") { CallToolResult(content = listOf(TextContent("no")), isError = true) }
        server.addTool("throw", "Throws.") { error("secret") }
        server.addTool("refuse", "Refuses.") { throw McpException(-32099, "secret") }
        server.addTool("bind", "Binds.") { throw McpException(-32602, "secret") }
        server.addTool("strict", "Is strict.", ToolSchema(required = listOf("n"))) { text("strict") }
        server.addTool("nothing", "Is empty.") { CallToolResult(content = emptyList()) }
        return server
    }

    private fun text(text: String) = CallToolResult(content = listOf(TextContent(text)))

    private val expected = listOf(
        "say" to "ok", "fail" to "tool_error", "throw" to "crashed", "refuse" to "tool_error",
        "bind" to "bad_args", "strict" to "bad_args", "nothing" to "ok", "nobody" to "bad_args",
    )

    private suspend fun callAll(transport: Transport, kind: String) {
        val client = Client(Implementation("tester", "1"))
        withTimeout(120.seconds) {
            client.connect(transport)
            client.listTools()
            for ((tool, _) in expected) client.callTool(tool, mapOf("x" to 1))
            while (payloads.count { it["type"] == "call" } < expected.size) {
                flush(30.seconds)
                delay(20)
            }
        }
        val calls = payloads.filter { it["type"] == "call" }
        assertEquals(expected, calls.map { it["tool_name"] to it["outcome"] })
        assertEquals(setOf("tester"), calls.map { it["client_name"] }.toSet())
        assertEquals(listOf("nothing"), calls.filter { it["is_empty"] == true }.map { it["tool_name"] })
        // {"content":[{"type":"text","text":"said 🚀"}]}
        assertEquals(46.0, calls[0]["response_bytes"])
        val startup = payloads.first { it["type"] == "startup" }
        assertEquals(listOf("mcpulse-kotlin/0.1.0", kind, "2025-11-25"), listOf("sdk", "transport", "protocol_version").map(startup::get))
        assertEquals(7, (startup["tools"] as List<*>).size)
        assertEquals(false, payloads.toString().contains("secret"))
    }

    @Test
    fun `over standard input and output`() = runBlocking {
        val toServer = PipedInputStream(1 shl 16)
        val toClient = PipedInputStream(1 shl 16)
        val input = PipedOutputStream(toServer)
        val output = PipedOutputStream(toClient)
        val transport = StdioServerTransport(toServer.asSource().buffered(), output.asSink().buffered())
        server("stdio").createSession(transport.watched())
        callAll(StdioClientTransport(toClient.asSource().buffered(), input.asSink().buffered()), "stdio")
        ingest.stop(0)
    }

    @Test
    fun `over streamable HTTP`() = runBlocking {
        val engine = embeddedServer(Netty, port = 0, host = "127.0.0.1") { mcpStreamableHttp("/mcp") { server("http") } }.start()
        val port = engine.engine.resolvedConnectors().first().port
        val http = HttpClient(CIO) { install(SSE) }
        callAll(StreamableHttpClientTransport(http, "http://127.0.0.1:$port/mcp"), "http")
        http.close()
        engine.stop()
        ingest.stop(0)
    }

    @Test
    fun `no server is kept alive`() {
        val servers = List(50) { WeakReference(server("alive")) }
        for (tries in 1..100) {
            System.gc()
            if (servers.all { it.get() == null }) break
            Thread.sleep(20)
        }
        assertEquals(0, servers.count { it.get() != null })
        ingest.stop(0)
    }

    @Test
    fun `wrong options change nothing`() {
        val server = Server(Implementation("test", "1"), ServerOptions(ServerCapabilities()))
        assertSame(server, server.watch { key("") })
        assertSame(server, server.watch { error("the host's") })
        ingest.stop(0)
    }
}
