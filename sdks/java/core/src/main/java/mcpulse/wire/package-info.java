/** The pure half of the producer: canonical form, hashes, sizes, emptiness; no input or output. */
package mcpulse.wire;
