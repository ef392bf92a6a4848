package mcpulse.kotlin

import io.modelcontextprotocol.kotlin.sdk.types.ToolSchema
import kotlin.math.truncate
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import mcpulse.wire.Canonical

/**
 * Whether arguments are what a tool's schema asks for. The MCP SDK of Kotlin does not check that, so this does,
 * only to tell the outcome; the call goes on as it would.
 *
 * What is certain is refused: types, required and forbidden members, enumerations, bounds. Keywords whose meaning
 * is costly or differs between dialects (`pattern`, `format`, `not`, references elsewhere, …) refuse nothing.
 */
internal fun ToolSchema.accepts(arguments: JsonElement?): Boolean {
    val members = when (arguments) {
        null, JsonNull -> JsonObject(emptyMap())
        is JsonObject -> arguments
        else -> return false
    }
    if (required.orEmpty().any { it !in members }) return false
    val check = SchemaCheck(defs)
    return properties.orEmpty().all { (name, schema) -> members[name]?.let { check.accepts(schema, it, 0) } ?: true }
}

private class SchemaCheck(private val defs: JsonObject?) {
    fun accepts(schema: JsonElement, value: JsonElement, depth: Int): Boolean {
        if (schema is JsonPrimitive) return schema.content != "false"
        if (schema !is JsonObject || depth > DEPTH) return true
        return referred(schema)?.let { accepts(it, value, depth + 1) } != false &&
            typed(schema["type"], value) &&
            enumerated(schema, value) &&
            combined(schema, value, depth) &&
            when (value) {
                is JsonObject -> members(schema, value, depth)
                is JsonArray -> items(schema, value, depth)
                is JsonPrimitive -> bounded(schema, value)
            }
    }

    private fun referred(schema: JsonObject): JsonElement? {
        val path = (schema["\$ref"] as? JsonPrimitive)?.content ?: return null
        return if (path.startsWith(LOCAL)) defs?.get(path.removePrefix(LOCAL)) else null
    }

    private fun typed(type: JsonElement?, value: JsonElement): Boolean = when (type) {
        is JsonPrimitive -> isA(type.content, value)
        is JsonArray -> type.any { it is JsonPrimitive && isA(it.content, value) }
        else -> true
    }

    private fun isA(type: String, value: JsonElement): Boolean = when (type) {
        "object" -> value is JsonObject
        "array" -> value is JsonArray
        "null" -> value is JsonNull
        "string" -> value is JsonPrimitive && value.isString
        "boolean" -> value is JsonPrimitive && !value.isString && value.content in BOOLEANS
        "number" -> number(value) != null
        "integer" -> number(value).let { it != null && it == truncate(it) }
        else -> true
    }

    private fun number(value: JsonElement?): Double? =
        (value as? JsonPrimitive)?.takeIf { !it.isString }?.content?.toDoubleOrNull()?.takeIf { it.isFinite() }

    private fun enumerated(schema: JsonObject, value: JsonElement): Boolean {
        val allowed = schema["enum"] as? JsonArray ?: schema["const"]?.let(::listOf) ?: return true
        val form = Canonical.of(value, JsonTrees) ?: return true
        return allowed.any { Canonical.of(it, JsonTrees) == form }
    }

    private fun combined(schema: JsonObject, value: JsonElement, depth: Int): Boolean {
        fun matching(keyword: String) = (schema[keyword] as? JsonArray)?.map { accepts(it, value, depth + 1) }
        return matching("allOf")?.all { it } != false &&
            matching("anyOf")?.any { it } != false &&
            matching("oneOf")?.any { it } != false
    }

    private fun members(schema: JsonObject, value: JsonObject, depth: Int): Boolean {
        val required = (schema["required"] as? JsonArray).orEmpty()
        if (required.any { it is JsonPrimitive && it.content !in value }) return false
        val properties = schema["properties"] as? JsonObject
        val others = schema["additionalProperties"].takeIf { "patternProperties" !in schema }
        return value.all { (name, member) ->
            val known = properties?.get(name) ?: others
            known == null || accepts(known, member, depth + 1)
        }
    }

    private fun items(schema: JsonObject, value: JsonArray, depth: Int): Boolean {
        val each = schema["items"].takeIf { "prefixItems" !in schema && it !is JsonArray }
        return within(value.size.toDouble(), schema, "minItems", "maxItems") &&
            (each == null || value.all { accepts(each, it, depth + 1) })
    }

    private fun bounded(schema: JsonObject, value: JsonPrimitive): Boolean {
        if (value.isString) {
            val length = value.content.codePointCount(0, value.content.length)
            return within(length.toDouble(), schema, "minLength", "maxLength")
        }
        val number = number(value) ?: return true
        val above = number(schema["exclusiveMinimum"])
        val below = number(schema["exclusiveMaximum"])
        return within(number, schema, "minimum", "maximum") &&
            (above == null || number > above) &&
            (below == null || number < below)
    }

    private fun within(number: Double, schema: JsonObject, least: String, most: String): Boolean {
        val low = number(schema[least])
        val high = number(schema[most])
        return (low == null || number >= low) && (high == null || number <= high)
    }

    private companion object {
        const val DEPTH = 64
        const val LOCAL = "#/\$defs/"
        val BOOLEANS = setOf("true", "false")
    }
}
