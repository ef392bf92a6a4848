package mcpulse.kotlin

import java.lang.invoke.MethodHandles
import java.lang.invoke.VarHandle
import kotlinx.collections.immutable.PersistentMap

/** A field of the MCP SDK that holds an immutable map and is replaced as a whole. */
internal class PersistentField<V>(owner: Class<*>, name: String) {
    private val handle: VarHandle = MethodHandles
        .privateLookupIn(owner, MethodHandles.lookup())
        .findVarHandle(owner, name, Any::class.java)

    @Suppress("UNCHECKED_CAST")
    fun get(of: Any): PersistentMap<String, V> = handle.getVolatile(of) as PersistentMap<String, V>

    /** Replaces entries that are there; the others stay as they are. */
    fun replace(of: Any, replacement: (String, V) -> V) {
        do {
            val before = get(of)
            var after = before
            for ((key, value) in before) {
                val other = replacement(key, value)
                if (other !== value) after = after.putting(key, other)
            }
        } while (after !== before && !handle.compareAndSet(of, before, after))
    }
}
