package mcpulse.bench

import io.modelcontextprotocol.kotlin.sdk.server.Server
import io.modelcontextprotocol.kotlin.sdk.server.ServerOptions
import io.modelcontextprotocol.kotlin.sdk.shared.AbstractTransport
import io.modelcontextprotocol.kotlin.sdk.shared.TransportSendOptions
import io.modelcontextprotocol.kotlin.sdk.types.CallToolResult
import io.modelcontextprotocol.kotlin.sdk.types.Implementation
import io.modelcontextprotocol.kotlin.sdk.types.JSONRPCMessage
import io.modelcontextprotocol.kotlin.sdk.types.JSONRPCRequest
import io.modelcontextprotocol.kotlin.sdk.types.McpJson
import io.modelcontextprotocol.kotlin.sdk.types.RequestId
import io.modelcontextprotocol.kotlin.sdk.types.ServerCapabilities
import io.modelcontextprotocol.kotlin.sdk.types.TextContent
import kotlinx.coroutines.runBlocking
import kotlinx.serialization.json.buildJsonArray
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.put
import kotlinx.serialization.json.putJsonObject
import mcpulse.kotlin.watch

private const val ROUNDS = 40
private const val CALLS = 500

/** A transport that is called by hand, and writes what it is given. */
private class InMemory : AbstractTransport() {
    var written = 0L

    override suspend fun start() = Unit

    override suspend fun send(message: JSONRPCMessage, options: TransportSendOptions?) {
        written += McpJson.encodeToString(JSONRPCMessage.serializer(), message).length
    }

    override suspend fun close() = Unit

    suspend fun receive(message: JSONRPCMessage) = _onMessage(message)
}

private val rows = buildJsonObject {
    put("rows", buildJsonArray {
        repeat(100) { row ->
            add(buildJsonObject {
                put("id", row)
                put("name", "customer number $row")
                put("amount", row * 1.25)
                put("open", row % 2 == 0)
            })
        }
    })
}

private val params = buildJsonObject {
    put("name", "tool")
    putJsonObject("arguments") {
        repeat(20) { put("field $it", "a value of some eighty characters, as models write them into arguments, $it") }
    }
}

private suspend fun served(result: CallToolResult, watched: Boolean): InMemory {
    val options = ServerOptions(ServerCapabilities(tools = ServerCapabilities.Tools(listChanged = false)))
    val server = Server(Implementation("bench", "1"), options)
    server.addTool("tool", "Answers.") { result }
    // Nobody listens there.
    if (watched) server.watch { key("bench").endpoint("http://127.0.0.1:9") }
    return InMemory().also { server.createSession(it) }
}

private suspend fun call(server: InMemory) = server.receive(JSONRPCRequest(RequestId(1), "tools/call", params))

/** Microseconds a call takes, at the median of the rounds; both servers in turn. */
private suspend fun medians(servers: List<InMemory>): List<Double> {
    val times = servers.map { mutableListOf<Double>() }
    for (round in -ROUNDS / 2 until ROUNDS) {
        servers.forEachIndexed { at, server ->
            val begun = System.nanoTime()
            repeat(CALLS) { call(server) }
            // The first rounds only warm up.
            if (round >= 0) times[at] += (System.nanoTime() - begun) / 1e3 / CALLS
        }
    }
    return times.map { it.sorted()[ROUNDS / 2] }
}

private fun usedKilobytes(): Long {
    repeat(3) {
        System.gc()
        Thread.sleep(100)
    }
    return Runtime.getRuntime().run { totalMemory() - freeMemory() } / 1024
}

/** What watching costs a call, and what it holds. The argument: calls for memory, a million by default. */
fun main(args: Array<String>) = runBlocking {
    System.setProperty("kotlin-logging.logStartupMessage", "false")
    val text = CallToolResult(content = listOf(TextContent("word ".repeat(2000))))
    val structured = CallToolResult(content = listOf(TextContent("100 rows")), structuredContent = rows)
    println("2 KB of arguments; microseconds a call, median: plain, watched, added")
    for ((name, result) in listOf("10 KB of text" to text, "10 KB of rows, structured" to structured)) {
        val (plain, watched) = medians(listOf(served(result, false), served(result, true)))
        println("%s: %.1f %.1f %.1f".format(name, plain, watched, watched - plain))
    }
    val calls = args.firstOrNull()?.toInt() ?: 1_000_000
    val watched = served(CallToolResult(content = listOf(TextContent("done"))), true)
    println("kilobytes used, with the ingest dead")
    for (tenth in 0..10) {
        if (tenth % 5 == 0 || tenth == 1) println("after ${calls.toLong() * tenth / 10} calls: ${usedKilobytes()}")
        if (tenth < 10) repeat(calls / 10) { call(watched) }
    }
}
