/**
 * Secrets of keys made in this page, in memory only: REST tells them once, and a reload forgets them. Kept so
 * that the page after "create" can show the secret and fill it into the snippets.
 */
const made = new Map<string, string>();

export function keepSecret(keyId: string, secret: string): void {
  made.set(keyId, secret);
}

export function secretOf(keyId: string): string | undefined {
  return made.get(keyId);
}
