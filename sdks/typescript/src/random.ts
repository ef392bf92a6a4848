/** `bytes` random bytes from the platform's CSPRNG, as lowercase hex. */
export function randomHex(bytes: number): string {
  let hex = "";
  for (const byte of crypto.getRandomValues(new Uint8Array(bytes))) {
    hex += byte.toString(16).padStart(2, "0");
  }
  return hex;
}

/** A session id: `s_` and 48 random bits. */
export function newSessionId(): string {
  return `s_${randomHex(6)}`;
}
