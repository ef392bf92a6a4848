import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { ApiError, api, data, describe } from "@/api/client";
import { meQuery } from "@/api/queries";
import { useTitle } from "@/lib/hooks";
import { Mark } from "@/shell/Brand";
import { Button } from "@/ui/Button";
import { Failed } from "@/ui/states";
import css from "./SignIn.module.css";

const route = getRouteApi("/sign-in");

/**
 * Signing in: a one-time link carries its token behind the `#`, which browsers send to nobody. It is taken out
 * of the address at once and posted, since following a link must not use it up.
 */
export function SignIn() {
  useTitle("Sign in");
  const { next } = route.useSearch();
  const navigate = useNavigate();
  const cache = useQueryClient();
  const [token] = useState(() => window.location.hash.slice(1));

  const { mutate, ...signIn } = useMutation({
    mutationFn: (link: string) => data(api.POST("/v1/sign-in", { body: { token: link } })),
    onSuccess: async (me) => {
      cache.clear();
      cache.setQueryData(meQuery.queryKey, me);
      await navigate({ href: next ?? "/servers", replace: true });
    },
  });

  useEffect(() => {
    if (token)
      window.history.replaceState(
        window.history.state,
        "",
        window.location.pathname + window.location.search,
      );
  }, [token]);

  const used = signIn.error instanceof ApiError && signIn.error.status === 401;
  return (
    <main className={css.page}>
      <div className={css.card}>
        <p className={css.brand}>
          <Mark size={28} /> MCPulse
        </p>
        {token && !signIn.isError ? (
          <>
            <h1>Sign in to this server</h1>
            <p className={css.text}>This link works once, in this browser.</p>
            <Button
              kind="primary"
              busy={signIn.isPending || signIn.isSuccess}
              // The one thing to do here.
              // oxlint-disable-next-line jsx-a11y/no-autofocus
              autoFocus
              onClick={() => {
                mutate(token);
              }}
            >
              {signIn.isPending ? "Signing in…" : "Sign in"}
            </Button>
          </>
        ) : (
          <>
            <h1>Sign in with a link</h1>
            {signIn.isError && (
              <Failed
                what={used ? "This link cannot be used" : "Could not sign in"}
                detail={describe(signIn.error)}
                {...(!used && {
                  retry: () => {
                    mutate(token);
                  },
                })}
              />
            )}
            <p className={css.text}>
              There are no passwords here. Ask for a sign-in link on the machine that runs the server, and
              open it in this browser within 15 minutes:
            </p>
            <pre className={css.command}>
              <code>mcpulse login-link</code>
            </pre>
          </>
        )}
      </div>
    </main>
  );
}
