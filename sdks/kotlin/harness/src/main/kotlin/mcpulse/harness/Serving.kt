package mcpulse.harness

import io.ktor.http.HttpStatusCode
import io.ktor.serialization.kotlinx.json.json
import io.ktor.server.application.Application
import io.ktor.server.application.install
import io.ktor.server.netty.Netty
import io.ktor.server.engine.EmbeddedServer
import io.ktor.server.engine.embeddedServer
import io.ktor.server.plugins.contentnegotiation.ContentNegotiation
import io.ktor.server.request.header
import io.ktor.server.response.respond
import io.ktor.server.routing.delete
import io.ktor.server.routing.post
import io.ktor.server.routing.routing
import io.modelcontextprotocol.kotlin.sdk.server.StdioServerTransport
import io.modelcontextprotocol.kotlin.sdk.server.StreamableHttpServerTransport
import io.modelcontextprotocol.kotlin.sdk.server.mcpStatelessStreamableHttp
import io.modelcontextprotocol.kotlin.sdk.server.mcpStreamableHttp
import io.modelcontextprotocol.kotlin.sdk.types.McpJson
import java.util.concurrent.ConcurrentHashMap
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.runBlocking
import kotlinx.io.asSink
import kotlinx.io.asSource
import kotlinx.io.buffered
import mcpulse.kotlin.watched

/** Serves over standard input and output until the input ends. */
fun serveStdio(flags: Flags, servers: Servers) = runBlocking {
    // Others with the same tools, which nobody speaks to.
    repeat(flags.servers - 1) { servers.high() }
    val stdio = StdioServerTransport(System.`in`.asSource().buffered(), System.out.asSink().buffered())
    val transport = if (flags.watched) stdio.watched() else stdio
    val ended = CompletableDeferred<Unit>()
    val session = if (flags.low) servers.low().also { it.connect(transport) } else servers.high().createSession(transport)
    session.onClose { ended.complete(Unit) }
    // It may have been closed before anyone listened.
    if (session.transport == null) ended.complete(Unit)
    ended.await()
}

/** Serves over HTTP, each server at a free port of 127.0.0.1. */
fun serveHttp(flags: Flags, servers: Servers) {
    val engines = List(flags.servers) {
        embeddedServer(Netty, port = 0, host = "127.0.0.1") {
            when {
                flags.low -> sessionsByHand(servers)
                flags.stateless -> mcpStatelessStreamableHttp("/mcp") { servers.high() }
                else -> mcpStreamableHttp("/mcp") { servers.high() }
            }
        }.start()
    }
    val urls = engines.map { "\"http://127.0.0.1:${port(it)}/mcp\"" }
    println("""{"url":${urls[0]},"more":[${urls.drop(1).joinToString(",")}]}""")
    System.out.flush()
    Thread.currentThread().join()
}

private fun port(engine: EmbeddedServer<*, *>): Int = runBlocking { engine.engine.resolvedConnectors().first().port }

/** What the high-level server does for its sessions, for sessions with handlers of their own. */
private fun Application.sessionsByHand(servers: Servers) {
    install(ContentNegotiation) { json(McpJson) }
    val transports = ConcurrentHashMap<String, StreamableHttpServerTransport>()
    routing {
        post("/mcp") {
            val id = call.request.header("Mcp-Session-Id")
            val transport = if (id != null) transports[id] else begun(servers, transports)
            if (transport == null) call.respond(HttpStatusCode.NotFound) else transport.handleRequest(null, call)
        }
        delete("/mcp") {
            val transport = call.request.header("Mcp-Session-Id")?.let(transports::remove)
            if (transport == null) call.respond(HttpStatusCode.NotFound) else transport.handleRequest(null, call)
        }
    }
}

private suspend fun begun(
    servers: Servers,
    transports: MutableMap<String, StreamableHttpServerTransport>,
): StreamableHttpServerTransport {
    val configuration = StreamableHttpServerTransport.Configuration(enableJsonResponse = true)
    val transport = StreamableHttpServerTransport(configuration)
    transport.setOnSessionInitialized { id -> transports[id] = transport }
    servers.low().connect(transport)
    return transport
}
