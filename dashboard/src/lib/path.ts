/** A name as one part of a path. Browsers resolve `.` and `..` away, however they are encoded. */
export const partOf = (name: string): string =>
  name === "." || name === ".." || name.startsWith("~") ? `~${name}` : name;

/** The name that a part of a path stands for. */
export const nameOf = (part: string): string => (part.startsWith("~") ? part.slice(1) : part);
