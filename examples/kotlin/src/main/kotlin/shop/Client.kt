package shop

import io.modelcontextprotocol.kotlin.sdk.client.Client
import io.modelcontextprotocol.kotlin.sdk.client.StdioClientTransport
import io.modelcontextprotocol.kotlin.sdk.types.Implementation
import kotlinx.coroutines.runBlocking
import kotlinx.io.asSink
import kotlinx.io.asSource
import kotlinx.io.buffered

/** Starts the shop and asks it a few things. */
object Asks {
    @JvmStatic
    fun main(args: Array<String>) = runBlocking {
        val java = System.getProperty("java.home") + "/bin/java"
        val shop = ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), "shop.ShopKt")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start()
        val client = Client(Implementation("asks", "1"))
        client.connect(StdioClientTransport(shop.inputStream.asSource().buffered(), shop.outputStream.asSink().buffered()))
        for (arguments in listOf(mapOf("id" to "o-1"), mapOf("id" to "o-9"), emptyMap())) {
            println(client.callTool("order_status", arguments).content)
        }
        shop.outputStream.close()
        shop.waitFor()
        client.close()
    }
}
