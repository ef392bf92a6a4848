import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CheckCircle2 } from "lucide-react";
import { useState } from "react";
import { overviewQuery, serverQuery } from "@/api/queries";
import { ago, shortCount } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { isoDay } from "@/lib/time";
import { buttonClass } from "@/ui/Button";
import { Copy } from "@/ui/Copy";
import { QueryView } from "@/ui/QueryView";
import css from "./Install.module.css";
import { SNIPPETS } from "./snippets";

/** Snippets with the key filled in, when this page still knows it. */
export function Install({ secret }: { secret: string | undefined }) {
  const [id, setId] = useState(SNIPPETS[0]?.id);
  const shown = SNIPPETS.find((snippet) => snippet.id === id) ?? SNIPPETS[0];
  const target = { key: secret ?? "mp_live_…", endpoint: window.location.origin };
  if (!shown) return null;
  return (
    <div className={css.install}>
      <div className={css.tabs} role="group" aria-label="Language">
        {SNIPPETS.map((snippet) => (
          <button
            key={snippet.id}
            type="button"
            className={css.tab}
            aria-pressed={snippet.id === shown.id}
            onClick={() => {
              setId(snippet.id);
            }}
          >
            {snippet.label}
          </button>
        ))}
      </div>
      <p className={css.about}>{shown.about}</p>
      {shown.blocks(target).map((block) => (
        <Block key={block.title} {...block} />
      ))}
      <p className={css.promise}>
        What leaves your server: names of tools and clients, times, sizes, outcomes and hashes. Never
        arguments, results, descriptions, error texts or users.
      </p>
    </div>
  );
}

function Block({ title, code }: { title: string; code: string }) {
  return (
    <figure className={css.block}>
      <figcaption className={css.title}>
        {title}
        <Copy text={code} />
      </figcaption>
      {/* It scrolls, so it must be reachable by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} aria-label={title}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}

/** Waits for the first payload, and says so when it is there. */
export function FirstPayload({ serverId }: { serverId: string }) {
  const server = useQuery(serverQuery(serverId));
  const overview = useQuery({ ...overviewQuery(serverId, { last_days: 7 }), refetchInterval: 2_000 });
  const now = useNow();
  return (
    <QueryView query={overview} what="whether anything has arrived" lines={1}>
      {({ confidence }) =>
        confidence.newest_payload_ms == null ? (
          <p className={css.waiting} role="status">
            <span className={css.pulse} aria-hidden="true" /> Waiting for the first payload…
          </p>
        ) : (
          <p className={css.received} role="status">
            <CheckCircle2 size={16} aria-hidden="true" />
            <span>
              {shortCount(confidence.accepted_payloads)} payloads received in the last 7 days, the newest{" "}
              {ago(overview.dataUpdatedAt - (confidence.newest_payload_age_ms ?? 0), now)}.
            </span>
            <Link
              to="/s/$serverId"
              params={{ serverId }}
              // A server of today has nothing to show of the days before.
              search={server.data && isoDay(server.data.created_ms) === isoDay(now) ? { last_days: 1 } : {}}
              className={buttonClass("plain", true)}
            >
              Open the overview
            </Link>
          </p>
        )
      }
    </QueryView>
  );
}
