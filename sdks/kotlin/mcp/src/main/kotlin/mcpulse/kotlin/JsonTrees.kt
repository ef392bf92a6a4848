package mcpulse.kotlin

import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonPrimitive
import mcpulse.wire.JsonReader
import mcpulse.wire.Leaf

/** Takes the trees of kotlinx.serialization: their objects are maps and their arrays lists already. */
internal object JsonTrees : Leaf {
    override fun plain(value: Any): Any? = when (value) {
        is JsonNull -> null
        // A literal keeps its spelling, which need not be JSON: the MCP SDK reads leniently.
        is JsonPrimitive -> if (value.isString) value.content else JsonReader.read(value.content)
        else -> Leaf.DEFAULT.plain(value)
    }
}
