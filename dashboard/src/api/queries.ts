/** Every question that pages ask, with the key it is cached under and how often it is asked again. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { DEFAULT_DAYS, type Filters } from "@/lib/search";
import { api, data } from "./client";
import type { paths } from "./generated/schema";

/** Figures are asked for again this often while the page is in sight, in milliseconds. */
export const LIVE = 5_000;
const SLOW = 30_000;

/** The query string of a range and filters. */
function query(filters: Filters) {
  const { from, to, last_days, tools, clients } = filters;
  return {
    ...(from && to ? { from, to } : { last_days: last_days ?? DEFAULT_DAYS }),
    ...(tools && { tools }),
    ...(clients && { clients }),
  };
}

/** Where all matching calls can be downloaded in full. */
export function exportUrl(server_id: string, filters: Filters, format: "csv" | "ndjson" | "parquet"): string {
  const asked = new URLSearchParams({ format });
  for (const [key, value] of Object.entries(query(filters))) {
    for (const one of Array.isArray(value) ? value : [value]) asked.append(key, String(one));
  }
  return `/v1/servers/${encodeURIComponent(server_id)}/export?${asked.toString()}`;
}

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: ({ signal }) => data(api.GET("/v1/me", { signal })),
  staleTime: 60_000,
});

export const serversQuery = (account_id: string) =>
  queryOptions({
    queryKey: ["servers", account_id],
    queryFn: async ({ signal }) =>
      (await data(api.GET("/v1/accounts/{account_id}/servers", { params: { path: { account_id } }, signal })))
        .items,
    staleTime: SLOW,
  });

export const serverQuery = (server_id: string) =>
  queryOptions({
    queryKey: ["server", server_id],
    queryFn: ({ signal }) =>
      data(api.GET("/v1/servers/{server_id}", { params: { path: { server_id } }, signal })),
    staleTime: SLOW,
  });

export const keysQuery = (server_id: string) =>
  queryOptions({
    queryKey: ["server", server_id, "keys"],
    queryFn: async ({ signal }) =>
      (await data(api.GET("/v1/servers/{server_id}/keys", { params: { path: { server_id } }, signal })))
        .items,
    staleTime: SLOW,
  });

export const tokensQuery = (account_id: string) =>
  queryOptions({
    queryKey: ["account", account_id, "tokens"],
    queryFn: async ({ signal }) =>
      (await data(api.GET("/v1/accounts/{account_id}/tokens", { params: { path: { account_id } }, signal })))
        .items,
    staleTime: SLOW,
  });

/** How long calls are kept, and what went. Asked often enough to see a change of it being applied. */
export const retentionQuery = (server_id: string) =>
  queryOptions({
    queryKey: ["server", server_id, "retention"],
    queryFn: ({ signal }) =>
      data(api.GET("/v1/servers/{server_id}/retention", { params: { path: { server_id } }, signal })),
    refetchInterval: LIVE,
  });

/** What every question about a server's figures shares. */
const live = { refetchInterval: LIVE, placeholderData: keepPreviousData } as const;

/** The reports about a server that take a range and filters and nothing else. */
type Report = `/v1/servers/{server_id}/${
  | "overview"
  | "tools"
  | "clients"
  | "insights"
  | "changes"
  | "producers"
  | "overlaps"
  | "agreements"
  | "ingest-health"}`;

type Answer<P extends Report> = paths[P]["get"]["responses"][200]["content"]["application/json"];

const report =
  <P extends Report>(path: P, refetchInterval = LIVE) =>
  (server_id: string, filters: Filters) => {
    const asked = query(filters);
    return queryOptions({
      ...live,
      refetchInterval,
      queryKey: ["server", server_id, path, asked],
      queryFn: ({ signal }) => {
        // These routes differ in their answers only, which the client's own types cannot say of a variable path.
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        const answer = api.GET(path as "/v1/servers/{server_id}/overview", {
          params: { path: { server_id }, query: asked },
          signal,
        });
        return data(answer as Promise<{ data?: Answer<P> }>);
      },
    });
  };

export const overviewQuery = report("/v1/servers/{server_id}/overview");
export const toolsQuery = report("/v1/servers/{server_id}/tools");
export const clientsQuery = report("/v1/servers/{server_id}/clients");
export const insightsQuery = report("/v1/servers/{server_id}/insights", SLOW);
export const changesQuery = report("/v1/servers/{server_id}/changes", SLOW);
export const producersQuery = report("/v1/servers/{server_id}/producers");
export const overlapsQuery = report("/v1/servers/{server_id}/overlaps", SLOW);
export const agreementsQuery = report("/v1/servers/{server_id}/agreements");
export const ingestQuery = report("/v1/servers/{server_id}/ingest-health");

export const toolQuery = (server_id: string, name: string, filters: Filters) =>
  queryOptions({
    ...live,
    queryKey: ["server", server_id, "tool", name, query(filters)],
    queryFn: ({ signal }) =>
      data(
        // As a parameter: no path can hold every name.
        api.GET("/v1/servers/{server_id}/tool", {
          params: { path: { server_id }, query: { ...query(filters), name } },
          signal,
        }),
      ),
  });

export const sessionsQuery = (server_id: string, filters: Filters) =>
  infiniteQueryOptions({
    queryKey: ["server", server_id, "sessions", query(filters)],
    queryFn: ({ signal, pageParam }) =>
      data(
        api.GET("/v1/servers/{server_id}/sessions", {
          params: {
            path: { server_id },
            query: { ...query(filters), limit: 100, ...(pageParam && { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (last) => last.next ?? undefined,
    ...live,
  });

export const sessionQuery = (server_id: string, session_id: string) =>
  infiniteQueryOptions({
    queryKey: ["server", server_id, "session", session_id],
    queryFn: ({ signal, pageParam }) =>
      data(
        api.GET("/v1/servers/{server_id}/sessions/{session_id}", {
          params: {
            path: { server_id, session_id },
            query: { limit: 1000, ...(pageParam && { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (last) => last.next ?? undefined,
    ...live,
  });

/** The newest arrivals at the time of asking, whatever the range. */
export const tailQuery = (server_id: string) =>
  queryOptions({
    queryKey: ["server", server_id, "tail"],
    queryFn: ({ signal }) =>
      data(
        api.GET("/v1/servers/{server_id}/calls", {
          params: { path: { server_id }, query: { limit: 50 } },
          signal,
        }),
      ),
    // What arrives after it comes over the live tail.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
