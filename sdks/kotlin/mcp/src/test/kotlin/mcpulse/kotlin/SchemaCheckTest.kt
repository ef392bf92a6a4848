package mcpulse.kotlin

import io.modelcontextprotocol.kotlin.sdk.types.McpJson
import io.modelcontextprotocol.kotlin.sdk.types.ToolSchema
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.jsonObject
import mcpulse.wire.Canonical
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

class SchemaCheckTest {
    private fun json(text: String): JsonElement = McpJson.parseToJsonElement(text)

    private fun check(property: String, value: String, accepted: Boolean) {
        val defs = json("""{"small":{"maximum":3}}""").jsonObject
        val schema = ToolSchema(properties = json("""{"x":$property}""").jsonObject, required = listOf("x"), defs = defs)
        assertEquals(accepted, schema.accepts(json("""{"x":$value,"other":1}""")), "$property $value")
    }

    @Test
    fun `what is certain is refused`() {
        check("""{"type":"integer"}""", "1.0", true)
        check("""{"type":"integer"}""", "1.5", false)
        check("""{"type":"integer"}""", "\"1\"", false)
        check("""{"type":["string","null"]}""", "null", true)
        check("""{"type":"boolean"}""", "true", true)
        check("""{"type":"boolean"}""", "\"true\"", false)
        check("""{"enum":[1,"a",null]}""", "1.0", true)
        check("""{"enum":[1,"a",null]}""", "\"b\"", false)
        check("""{"const":{"a":1}}""", """{"a":1e0}""", true)
        check("""{"minimum":1,"exclusiveMaximum":5}""", "5", false)
        check("""{"minLength":2}""", "\"🚀\"", false)
        check("""{"type":"array","items":{"type":"string"},"maxItems":2}""", """["a",1]""", false)
        check("""{"type":"array","maxItems":2}""", """[1,2,3]""", false)
        check("""{"properties":{"a":{}},"additionalProperties":false}""", """{"b":1}""", false)
        check("""{"required":["a"]}""", "{}", false)
        check("""{"anyOf":[{"type":"string"},{"type":"null"}]}""", "1", false)
        check("""{"${'$'}ref":"#/${'$'}defs/small"}""", "4", false)
        check("false", "1", false)
    }

    @Test
    fun `what is not certain is not refused`() {
        check("""{"pattern":"^a"}""", "\"b\"", true)
        check("""{"not":{}}""", "1", true)
        check("""{"${'$'}ref":"elsewhere"}""", "1", true)
        check("""{"type":"strange"}""", "1", true)
        check("true", "1", true)
    }

    @Test
    fun `arguments are an object with what is required`() {
        val schema = ToolSchema(required = listOf("x"))
        assertEquals(false, schema.accepts(null))
        assertEquals(false, schema.accepts(json("[]")))
        assertEquals(true, ToolSchema().accepts(json("null")))
    }

    @Test
    fun `trees are hashed as they were sent`() {
        val tree = json("""{"b":1.0,"a":[true,null,"é",9007199254740993]}""")
        assertEquals("""{"a":[true,null,"é",9007199254740992],"b":1}""", Canonical.of(tree, JsonTrees))
        // The MCP SDK reads leniently: this is no JSON.
        assertEquals("000000000000", Canonical.argsHash(json("""{"a":nope}"""), JsonTrees))
    }
}
