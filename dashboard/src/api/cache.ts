import { QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./client";

/** The cache of answers. `signedOut` runs when the server no longer knows the browser. */
export function makeCache(signedOut: () => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError(error) {
        if (error instanceof ApiError && error.status === 401) signedOut();
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        // What was refused stays refused; what failed may work a moment later.
        retry: (times, error) =>
          times < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
        retryDelay: (times) => 500 * 2 ** times,
        refetchOnWindowFocus: true,
      },
    },
  });
}
