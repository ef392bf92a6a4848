package mcpulse.harness

import io.modelcontextprotocol.kotlin.sdk.server.RegisteredTool
import io.modelcontextprotocol.kotlin.sdk.types.CallToolResult
import io.modelcontextprotocol.kotlin.sdk.types.McpException
import io.modelcontextprotocol.kotlin.sdk.types.McpJson
import io.modelcontextprotocol.kotlin.sdk.types.RPCError
import io.modelcontextprotocol.kotlin.sdk.types.TextContent
import io.modelcontextprotocol.kotlin.sdk.types.Tool
import io.modelcontextprotocol.kotlin.sdk.types.ToolSchema
import kotlin.concurrent.thread
import kotlin.system.exitProcess
import kotlinx.coroutines.delay
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.int
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import kotlinx.serialization.json.long
import kotlinx.serialization.json.put
import kotlinx.serialization.json.putJsonObject

private val canary = System.getenv("MCPULSE_HARNESS_CANARY") ?: "canary"

fun text(text: String) = CallToolResult(content = listOf(TextContent(text)))

/** A tool that gets its arguments, or an empty object. */
class KitTool(val tool: Tool, val run: suspend (JsonObject) -> CallToolResult) {
    fun registered() = RegisteredTool(tool) { request -> run(request.params.arguments ?: JsonObject(emptyMap())) }
}

fun kitTool(
    name: String,
    description: String = "One of the kit's.",
    properties: String = "{}",
    required: List<String> = emptyList(),
    run: suspend (JsonObject) -> CallToolResult,
) = KitTool(
    Tool(
        name = name,
        description = description,
        inputSchema = ToolSchema(properties = McpJson.parseToJsonElement(properties).jsonObject, required = required),
    ),
    run,
)

fun always(name: String, answer: String) = kitTool(name) { text(answer) }

/** The kit's tools, whichever API serves them; docs/harness.md says what each must do. */
fun kitTools(): List<KitTool> = listOf(
    kitTool("echo") { text(it.toString()) },
    always("fast", "done"),
    kitTool("slow", properties = """{"ms":{"type":"integer"}}""", required = listOf("ms")) {
        delay(it.getValue("ms").jsonPrimitive.long)
        text("done")
    },
    kitTool(
        "empty",
        properties = """{"kind":{"enum":["no_parts","blank","null","list","object"]}}""",
        required = listOf("kind"),
    ) { args ->
        when (args.getValue("kind").jsonPrimitive.content) {
            "no_parts" -> CallToolResult(content = emptyList())
            "blank" -> text(" \n\t")
            "null" -> text("null")
            "list" -> text("[]")
            else -> text("{}")
        }
    },
    kitTool("reply", properties = """{"result":{"type":"object"}}""", required = listOf("result")) { args ->
        val given = args.getValue("result").jsonObject
        val whole = JsonObject(mapOf("content" to JsonArray(emptyList())) + given)
        McpJson.decodeFromJsonElement(CallToolResult.serializer(), whole)
    },
    kitTool("error") { CallToolResult(content = listOf(TextContent("no such order")), isError = true) },
    kitTool("crash") { error("boom $canary") },
    kitTool(
        "strict",
        properties = """{"id":{"type":"integer","minimum":1},"note":{"type":"string"}}""",
        required = listOf("id"),
    ) { args ->
        // What a ToolSchema cannot say.
        if ((args.keys - setOf("id", "note")).isNotEmpty()) {
            throw McpException(RPCError.ErrorCode.INVALID_PARAMS, "no such argument")
        }
        text("ok")
    },
    kitTool("huge", properties = """{"units":{"type":"integer"}}""") {
        text("x".repeat(it["units"]?.jsonPrimitive?.int ?: 1_000_000))
    },
    always("unicode", "café 🚀 東京"),
    kitTool(
        "canary",
        "Keeps a secret: $canary.",
        """{"secret":{"type":"string","description":"Such as $canary."}}""",
        listOf("secret"),
    ) { text("$canary ${it.getValue("secret").jsonPrimitive.content}") },
    price("price_a"),
    price("price_b"),
    always("never_called", "done"),
    kitTool(
        "quit",
        properties = """{"code":{"type":"integer"},"how":{"type":"string"}}""",
        required = listOf("code"),
    ) { args ->
        thread(isDaemon = true) {
            Thread.sleep(50)
            check(args["how"]?.jsonPrimitive?.content != "uncaught") { "uncaught" }
            exitProcess(args.getValue("code").jsonPrimitive.int)
        }
        text("bye")
    },
)

private fun price(name: String) = kitTool(
    name,
    properties = """{"id":{"type":"string"},"amount":{"type":"number"}}""",
    required = listOf("id", "amount"),
) { args ->
    val structured = buildJsonObject {
        putJsonObject("order") {
            put("id", args.getValue("id"))
            put("amount", args.getValue("amount"))
        }
    }
    CallToolResult(content = listOf(TextContent(structured.toString())), structuredContent = structured)
}

/** A cursor that names a position. */
fun position(cursor: String?): Int = cursor?.let { JsonPrimitive(it).int } ?: 0
