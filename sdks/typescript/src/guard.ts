/**
 * Runs our own code so that nothing of it reaches the host: what it throws is dropped, and
 * `undefined` comes back instead, and `fault` is told. Never wrap the host's code in it.
 */
export function ours<T>(run: () => T, fault?: () => void): T | undefined {
  try {
    return run();
  } catch {
    if (fault !== undefined) ours(fault);
    return undefined;
  }
}

/** Defines a property that hides one of the prototype, and returns how to undo it. */
export function override(target: object, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, {
    value,
    configurable: true,
    writable: true,
    enumerable: false,
  });
  return () => {
    if (before === undefined) delete (target as Record<string, unknown>)[name];
    else Object.defineProperty(target, name, before);
  };
}
