package mcpulse.kotlin

import io.modelcontextprotocol.kotlin.sdk.server.RegisteredTool
import io.modelcontextprotocol.kotlin.sdk.server.Server
import io.modelcontextprotocol.kotlin.sdk.types.Tool
import java.util.Collections
import java.util.WeakHashMap
import mcpulse.core.Watcher

/** The tools of one server. What was registered since the last look is wrapped at the next. */
internal class ServerTools private constructor(server: Server, private val serving: Serving, private val unseen: UnseenRequests) {
    private val registry: Any = Server::class.java.getDeclaredField("toolRegistry").let {
        it.isAccessible = true
        it.get(server)
    }
    private val field = PersistentField<RegisteredTool>(registry.javaClass, "registry")

    @Volatile
    private var seen: Map<String, RegisteredTool>? = null
    private var tools: List<Tool>? = null

    /** A tool by its name. */
    fun find(name: String): Tool? = field.get(registry)[name]?.tool

    /** Looks whether there are others than before, and wraps those. Says whether clients see others. */
    fun look(): Boolean = if (field.get(registry) === seen) false else wrapAll()

    @Synchronized
    private fun wrapAll(): Boolean {
        field.replace(registry) { _, registered ->
            val handler = registered.handler
            if (handler is AuthorHandler) registered else RegisteredTool(registered.tool, AuthorHandler(handler, serving, unseen))
        }
        val now = field.get(registry)
        val others = now.values.map { it.tool }
        val before = tools
        val same = before != null && before.size == others.size && before.indices.all { before[it] === others[it] }
        tools = others
        seen = now
        return !same
    }

    companion object {
        /** Servers that are watched; none is kept alive by this. */
        private val watched: MutableSet<Server> = Collections.newSetFromMap(Collections.synchronizedMap(WeakHashMap()))

        /** Attaches to a server. False: it is watched already. */
        fun attach(server: Server, watcher: Watcher): Boolean {
            if (server in watched) return false
            SessionHooks.prepare(watcher)
            val hooks = ServerHooks(server, watcher)
            hooks.tools.look()
            hooks.install()
            server.onConnect(hooks::install)
            watched += server
            return true
        }

        fun of(server: Server, serving: Serving, unseen: UnseenRequests) = ServerTools(server, serving, unseen)
    }
}
