/** The typed client: one function per route, generated types, problems as errors. */
import createClient, { type Middleware } from "openapi-fetch";
import type { paths } from "./generated/schema";

/** A rule that an input broke, by field. */
export interface FieldError {
  field: string;
  rule: string;
}

/** An answer that is not a success: a problem of RFC 9457, or the network's silence (status 0). */
export class ApiError extends Error {
  override readonly name = "ApiError";
  constructor(
    readonly status: number,
    title: string,
    readonly detail: string,
    readonly fields: readonly FieldError[] = [],
  ) {
    super(title);
  }
}

/** What is wrong with one field of the form, if the server said so. */
export function fieldError(error: unknown, field: string): string | undefined {
  return error instanceof ApiError ? error.fields.find((one) => one.field === field)?.rule : undefined;
}

/** One line about any error. */
export function describe(error: unknown): string {
  if (!(error instanceof ApiError)) return "Something unforeseen went wrong in this page.";
  const fields = error.fields.map((one) => `${one.field}: ${one.rule}`).join("; ");
  return [error.detail, fields].filter(Boolean).join(" ") || error.message;
}

const silence = (): ApiError =>
  new ApiError(
    0,
    "No answer",
    "The server did not answer. It may be restarting, or the network may be down.",
  );

/** A member of something that came over the network, where nothing is certain. */
function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

async function problem(response: Response): Promise<ApiError> {
  const fallback = `The server answered ${String(response.status)}.`;
  // Not JSON: a proxy answered in the server's place.
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  const [title, detail, errors] = [member(body, "title"), member(body, "detail"), member(body, "errors")];
  if (typeof title !== "string") return new ApiError(response.status, "Error", fallback);
  return new ApiError(
    response.status,
    title,
    typeof detail === "string" ? detail : "",
    Array.isArray(errors) ? errors.filter(isFieldError) : [],
  );
}

function isFieldError(value: unknown): value is FieldError {
  return typeof member(value, "field") === "string" && typeof member(value, "rule") === "string";
}

const problems: Middleware = {
  async onResponse({ response }) {
    if (!response.ok) throw await problem(response);
    return undefined;
  },
  onError({ error }) {
    // A request that was given up is not a failure.
    return error instanceof DOMException && error.name === "AbortError" ? error : silence();
  },
};

export const api = createClient<paths>({
  baseUrl: window.location.origin,
  // Looked up at each request, so that tests can answer in the server's place.
  fetch: (request) => globalThis.fetch(request),
});
api.use(problems);

/** The body of an answer that has one. */
export async function data<T>(answer: Promise<{ data?: T }>): Promise<T> {
  const { data: body } = await answer;
  if (body === undefined) throw new ApiError(0, "Empty answer", "The server answered without a body.");
  return body;
}
