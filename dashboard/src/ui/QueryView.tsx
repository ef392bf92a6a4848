import type { ReactNode } from "react";
import { ApiError, describe } from "@/api/client";
import { Failed, Loading, NoPermission, NotFound } from "./states";
import { AnsweredAt } from "./terms";

/** The parts of a query's state that decide what is shown. */
export interface Asked<T> {
  data: T | undefined;
  error: Error | null;
  isPending: boolean;
  refetch: () => unknown;
  /** When the answer came. */
  dataUpdatedAt: number;
}

/**
 * Shows an answer, or why there is none. An answer that is there stays when asking again fails, under a line
 * that says so: old figures with their age are worth more than a blank.
 */
export function QueryView<T>({
  query,
  what,
  lines,
  children,
}: {
  query: Asked<T>;
  /** What is being shown, as in "could not load …". */
  what: string;
  lines?: number;
  children: (data: T) => ReactNode;
}) {
  const { data, error } = query;
  if (data !== undefined) {
    return (
      <AnsweredAt value={query.dataUpdatedAt}>
        {error && (
          <Failed
            what={`Could not refresh ${what}`}
            detail={describe(error)}
            retry={() => void query.refetch()}
          />
        )}
        {children(data)}
      </AnsweredAt>
    );
  }
  if (error instanceof ApiError && error.status === 403) return <NoPermission detail={describe(error)} />;
  if (error instanceof ApiError && error.status === 404) {
    return (
      <NotFound detail={`There is no such thing here, or it belongs to an account that is not yours.`} />
    );
  }
  if (error) {
    return (
      <Failed what={`Could not load ${what}`} detail={describe(error)} retry={() => void query.refetch()} />
    );
  }
  return <Loading lines={lines ?? 3} label={`Loading ${what}`} />;
}
