import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { User } from "lucide-react";
import { api } from "@/api/client";
import { meQuery } from "@/api/queries";
import { setTheme, useTheme, type Choice } from "@/lib/theme";
import { Button, buttonClass } from "@/ui/Button";
import { Menu } from "@/ui/Menu";
import css from "./UserMenu.module.css";

const THEMES: readonly [Choice, string][] = [
  ["system", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
];

/** Who is signed in, the theme, and the way out. */
export function UserMenu() {
  const me = useQuery(meQuery);
  const theme = useTheme();
  const navigate = useNavigate();
  const cache = useQueryClient();
  const out = useMutation({
    mutationFn: () => api.POST("/v1/sign-out"),
    onSuccess: async () => {
      // Nothing of the account stays in memory for whoever sits down next.
      cache.clear();
      await navigate({ to: "/sign-in", search: {} });
    },
  });
  return (
    <Menu
      title="Account"
      label={
        <>
          <User size={14} aria-hidden="true" />
          <span className={css.email}>{me.data?.user.email ?? "Account"}</span>
        </>
      }
    >
      {(close) => (
        <div className={css.list}>
          <fieldset className={css.themes}>
            <legend>Theme</legend>
            {THEMES.map(([value, label]) => (
              <label key={value} className={css.theme}>
                <input
                  type="radio"
                  name="theme"
                  checked={theme === value}
                  onChange={() => {
                    setTheme(value);
                  }}
                />
                {label}
              </label>
            ))}
          </fieldset>
          <Link to="/settings" className={buttonClass("quiet", true)} onClick={close}>
            Account and access tokens
          </Link>
          <Button
            kind="quiet"
            small
            busy={out.isPending}
            onClick={() => {
              out.mutate();
            }}
          >
            Sign out
          </Button>
        </div>
      )}
    </Menu>
  );
}
