/** The whole dashboard in a test, on top of answers that the test gives in the server's place. */
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider, createMemoryHistory } from "@tanstack/react-router";
import { render } from "@testing-library/react";
import { vi } from "vitest";
import { makeCache } from "@/api/cache";
import { makeRouter } from "@/router";

/** What the server was asked. */
export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  body: unknown;
}

/** A body, or a status and a body. */
export type Answer = object | [number, object];

/** `"GET /v1/me"` to its answer. What is not listed is a 404. */
export type Answers = Record<string, Answer>;

export function problem(status: number, title: string, detail = "", errors: object[] = []): [number, object] {
  return [status, { type: "urn:mcpulse:problem:test", title, status, detail, errors }];
}

function isPair(answer: Answer): answer is [number, object] {
  return Array.isArray(answer);
}

/** Opens the dashboard at a path. */
export function open(path: string, answers: Answers) {
  const asked: Asked[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const url = new URL(request.url);
    const text = await request.text();
    const one: Asked = {
      method: request.method,
      path: url.pathname,
      query: url.searchParams,
      body: text === "" ? undefined : (JSON.parse(text) as unknown),
    };
    asked.push(one);
    const answer = answers[`${one.method} ${decodeURIComponent(one.path)}`] ?? problem(404, "Not found");
    const [status, body] = isPair(answer) ? answer : [200, answer];
    return Response.json(body, {
      status,
      headers: { "content-type": status < 400 ? "application/json" : "application/problem+json" },
    });
  });
  const history = createMemoryHistory({ initialEntries: [path] });
  const cache = makeCache(() => {
    const { pathname, searchStr } = router.state.location;
    if (pathname !== "/sign-in")
      void router.navigate({ to: "/sign-in", search: { next: pathname + searchStr } });
  });
  // What failed is not asked for again: a test waits for no one.
  cache.setDefaultOptions({ queries: { ...cache.getDefaultOptions().queries, retry: false } });
  const router = makeRouter(cache, history);
  const view = render(
    <QueryClientProvider client={cache}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return { ...view, asked, router };
}
