package mcpulse.harness

import java.lang.ref.WeakReference
import kotlin.system.exitProcess
import sun.misc.Signal

/** The program that the conformance kit drives; docs/harness.md says how. */
fun main(args: Array<String>) {
    // The logging library of the MCP SDK would say so on standard output.
    System.setProperty("kotlin-logging.logStartupMessage", "false")
    val flags = Flags(args)
    Thread.setDefaultUncaughtExceptionHandler { _, error ->
        error.printStackTrace()
        exitProcess(1)
    }
    flags.onSigterm?.let { code -> Signal.handle(Signal("TERM")) { exitProcess(code) } }
    when {
        flags.mode == "fixtures" -> answerFixtures(System.`in`, System.out)
        flags.mode == "churn" -> churn(Servers(flags), flags.count)
        flags.transport == "http" -> serveHttp(flags, Servers(flags))
        else -> serveStdio(flags, Servers(flags))
    }
}

private fun churn(servers: Servers, total: Int) {
    val made = List(total) { WeakReference(servers.high()) }
    var alive = total
    for (tries in 1..10) {
        System.gc()
        alive = made.count { it.get() != null }
        if (alive == 0) break
    }
    println("""{"created":$total,"alive":$alive}""")
}

/** The command line. */
class Flags(args: Array<String>) {
    var mode = "serve"
    var count = 0
    var transport = "stdio"
    var low = false
    var stateless = false
    var watched = true
    var early = false
    var twice = false
    var perConversation = false
    var debug = false
    var servers = 1
    var page = Int.MAX_VALUE
    var onSigterm: Int? = null

    init {
        val rest = ArrayDeque(args.toList())
        while (rest.isNotEmpty()) {
            when (val flag = rest.removeFirst()) {
                "fixtures" -> mode = flag
                "churn" -> {
                    mode = flag
                    count = rest.removeFirst().toInt()
                }
                "--unwatched" -> watched = false
                "--early" -> early = true
                "--twice" -> twice = true
                "--debug" -> debug = true
                "--transport" -> transport = rest.removeFirst()
                "--api" -> low = rest.removeFirst() == "low"
                "--http" -> stateless = rest.removeFirst() == "stateless"
                "--servers" -> servers = rest.removeFirst().toInt()
                "--sessions" -> perConversation = rest.removeFirst() == "conversation"
                "--page" -> page = rest.removeFirst().toInt()
                "--on-sigterm" -> onSigterm = rest.removeFirst().toInt()
                "--sdk" -> rest.removeFirst()
                "--fork" -> unsupported(flag, "the JVM does not fork")
                else -> unsupported(flag, "no such flag")
            }
        }
        if (low && early) unsupported("--early", "a session with handlers of its own is watched once they are set")
        if (low && stateless) unsupported("--http stateless", "with --api low, the harness keeps sessions")
    }

    private fun unsupported(flag: String, reason: String): Nothing {
        System.err.println("unsupported: $flag: $reason")
        exitProcess(64)
    }
}
