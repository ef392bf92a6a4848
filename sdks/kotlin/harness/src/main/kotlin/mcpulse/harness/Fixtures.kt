package mcpulse.harness

import java.io.ByteArrayOutputStream
import java.io.InputStream
import java.io.PrintStream
import mcpulse.wire.Canonical
import mcpulse.wire.Descriptions
import mcpulse.wire.JsonReader
import mcpulse.wire.Porter
import mcpulse.wire.Results
import mcpulse.wire.Sizes
import mcpulse.wire.Strings
import mcpulse.wire.Tools

/** Text-level checks: one JSON object per line in, one per line out. A line ends with U+000A only. */
fun answerFixtures(input: InputStream, output: PrintStream) {
    val answers = StringBuilder()
    val line = ByteArrayOutputStream()
    fun answerLine() {
        answers.append(answer(line.toString(Charsets.UTF_8))).append('\n')
        line.reset()
    }
    val buffer = ByteArray(1 shl 16)
    while (true) {
        val count = input.read(buffer)
        if (count < 0) break
        var start = 0
        for (at in 0 until count) {
            if (buffer[at] == '\n'.code.toByte()) {
                line.write(buffer, start, at - start)
                start = at + 1
                answerLine()
            }
        }
        line.write(buffer, start, count - start)
    }
    if (line.size() > 0) answerLine()
    output.write(answers.toString().toByteArray())
    output.flush()
}

private fun answer(line: String): String? {
    val request = JsonReader.read(line) as Map<*, *>
    fun text(name: String) = request[name] as String?
    fun read(name: String) = text(name)?.let(JsonReader::read)
    val answer: Map<String, Any?> = when (val op = text("op")) {
        "args" -> {
            val canonical = Canonical.ofArgsText(text("json"))
            val hash = canonical?.let(Canonical::hash12) ?: Canonical.NOT_REPRESENTABLE_HASH
            mapOf("canonical" to canonical, "args_hash" to hash)
        }
        "size" -> mapOf("units" to Sizes.textUnits(text("json")))
        "empty" -> mapOf("is_empty" to Results.isEmpty(read("result")))
        "result" -> mapOf("units" to maxOf(0, Results.measure(read("result"))))
        "tool" -> mapOf("description_hash" to null, "description_norm" to null) +
            Tools.describe(read("entry") as Map<*, *>, null)
        "description" -> {
            val words = Strings.wellFormed(text("text"))
            mapOf(
                "tokens" to Descriptions.tokens(words),
                "description_hash" to Descriptions.hash(words),
                "description_norm" to Descriptions.norm(words),
            )
        }
        "stem" -> mapOf("stem" to Porter.stem(text("word")))
        else -> mapOf("unsupported" to "op $op")
    }
    return Canonical.of(answer)
}
