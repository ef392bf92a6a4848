package mcpulse.kotlin

import io.modelcontextprotocol.kotlin.sdk.server.Server
import io.modelcontextprotocol.kotlin.sdk.server.ServerSession
import mcpulse.core.Destination
import mcpulse.core.Options
import mcpulse.core.Watcher
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds

/** How this producer calls itself. */
public const val SDK: String = "mcpulse-kotlin/0.1.0"

/**
 * Watches a server: the sessions it has and those it will have. Tools may be registered before or after.
 *
 * Returns the same server and never throws: when something is wrong, the server is left as it was, and the
 * option `debug` says why. Without options, those of the environment count: `MCPULSE_KEY`,
 * `MCPULSE_ENDPOINT`.
 */
public fun Server.watch(configure: Options.() -> Unit = {}): Server {
    attach(configure) { watcher -> ServerTools.attach(this, watcher) }
    return this
}

/**
 * Watches a session that is connected by hand, with request handlers of its own for `tools/list` and
 * `tools/call`. Call it once they are set.
 */
public fun ServerSession.watch(configure: Options.() -> Unit = {}): ServerSession {
    attach(configure) { watcher -> SessionHooks(this, watcher, tools = null).install() }
    return this
}

/**
 * Sends everything recorded so far, for every watched server. Blocks the thread for at most so long. Says
 * whether all of it was taken.
 */
public fun flush(timeout: Duration = 10.seconds): Boolean = try {
    Destination.flushAll(timeout.inWholeNanoseconds)
} catch (_: Exception) {
    false
}

/** Reads the options and attaches by [to], which says false when the server is watched already. */
private fun attach(configure: Options.() -> Unit, to: (Watcher) -> Boolean) {
    val options = Options()
    var complain = Watcher.complaints(options)
    try {
        options.configure()
        complain = Watcher.complaints(options)
        val watcher = Watcher.of(options, SDK, sdkVersion, complain) ?: return
        if (!to(watcher)) complain.accept("already watching this server: the first watch() counts")
    } catch (_: Exception) {
        complain.accept("not watching: this server could not be attached to")
    } catch (_: LinkageError) {
        // An MCP SDK of another version than this was built for.
        complain.accept("not watching: this MCP SDK is not supported")
    }
}

/** The version of the MCP SDK that is there, which need not be the one this was built with. */
private val sdkVersion: String? by lazy {
    try {
        Class.forName("io.modelcontextprotocol.kotlin.sdk.LibVersionKt").getField("LIB_VERSION").get(null) as? String
    } catch (_: ReflectiveOperationException) {
        null
    }
}
