import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { X } from "lucide-react";
import { useState, type ReactNode } from "react";
import { clientsQuery, toolsQuery } from "@/api/queries";
import { DEFAULT_DAYS, type Filters as Chosen } from "@/lib/search";
import { isoDay } from "@/lib/time";
import { Button } from "@/ui/Button";
import { Copy } from "@/ui/Copy";
import { Menu } from "@/ui/Menu";
import { Name } from "@/ui/Name";
import css from "./Filters.module.css";

const RANGES: readonly [number, string][] = [
  [1, "Today"],
  [7, "7 days"],
  [30, "30 days"],
  [90, "90 days"],
];

/** Names drawn at once; the search narrows thousands down. */
const SHOWN = 200;

/** Range, tools and clients of a server's page, all kept in the address. */
export function Filters({ serverId, only }: { serverId: string; only?: "range" }) {
  const chosen = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = (change: Partial<Record<keyof Chosen, Chosen[keyof Chosen]>>): void => {
    void navigate({
      to: ".",
      search: (old: Record<string, unknown>) =>
        Object.fromEntries(Object.entries({ ...old, ...change }).filter(([, value]) => value !== undefined)),
    });
  };
  const [tools, clients] = [chosen.tools ?? [], chosen.clients ?? []];
  const setTools = (names: string[]): void => {
    set({ tools: names.length > 0 ? names : undefined });
  };
  const setClients = (names: string[]): void => {
    set({ clients: names.length > 0 ? names : undefined });
  };
  const days = chosen.from ? null : (chosen.last_days ?? DEFAULT_DAYS);

  return (
    <div className={css.bar} role="group" aria-label="Range and filters" data-print="hide">
      <div className={css.ranges}>
        {RANGES.map(([value, label]) => (
          <button
            key={value}
            type="button"
            className={css.range}
            aria-pressed={days === value}
            onClick={() => {
              set({ last_days: value, from: undefined, to: undefined });
            }}
          >
            {label}
          </button>
        ))}
      </div>
      <Menu
        title="Days from and to"
        label={
          chosen.from
            ? `${chosen.from} to ${chosen.to ?? ""}`
            : days && !RANGES.some(([n]) => n === days)
              ? `${String(days)} days`
              : "Dates"
        }
      >
        {(close) => (
          <Dates
            chosen={chosen}
            onDone={(from, to) => {
              set({ from, to, last_days: undefined });
              close();
            }}
          />
        )}
      </Menu>
      {only !== "range" && (
        <>
          <Pick label="tools" chosen={tools} onChange={setTools}>
            <ToolNames serverId={serverId} range={rangeOf(chosen)} chosen={tools} onChange={setTools} />
          </Pick>
          <Pick label="clients" chosen={clients} onChange={setClients}>
            <ClientNames serverId={serverId} range={rangeOf(chosen)} chosen={clients} onChange={setClients} />
          </Pick>
        </>
      )}
      <span className={css.link}>
        <Copy text={() => window.location.href} label="Copy link" />
      </span>
    </div>
  );
}

/** The range alone: names are those of the whole range, whatever is filtered. */
function rangeOf({ last_days, from, to }: Chosen): Chosen {
  return from && to ? { from, to } : last_days ? { last_days } : {};
}

function ToolNames({ serverId, range, ...list }: NamesProps) {
  const { data } = useQuery({ ...toolsQuery(serverId, range), refetchInterval: false });
  return <Names {...list} label="tools" names={data?.tools.map((row) => row.tool)} />;
}

function ClientNames({ serverId, range, ...list }: NamesProps) {
  const { data } = useQuery({ ...clientsQuery(serverId, range), refetchInterval: false });
  return <Names {...list} label="clients" names={data?.clients.map((row) => row.client)} />;
}

function Dates({ chosen, onDone }: { chosen: Chosen; onDone: (from: string, to: string) => void }) {
  const [first, setFirst] = useState(
    () => chosen.from ?? isoDay(Date.now() - (DEFAULT_DAYS - 1) * 86_400_000),
  );
  const [last, setLast] = useState(() => chosen.to ?? isoDay(Date.now()));
  const wrong = first === "" || last === "" || last < first;
  return (
    <form
      className={css.dates}
      onSubmit={(event) => {
        event.preventDefault();
        onDone(first, last);
      }}
    >
      <label>
        First day
        <input
          type="date"
          value={first}
          onChange={(event) => {
            setFirst(event.target.value);
          }}
        />
      </label>
      <label>
        Last day, inclusive
        <input
          type="date"
          value={last}
          onChange={(event) => {
            setLast(event.target.value);
          }}
        />
      </label>
      <p className={css.hint}>Days are UTC.</p>
      <Button kind="primary" small type="submit" disabled={wrong}>
        Show
      </Button>
    </form>
  );
}

interface ListProps {
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}

interface NamesProps extends ListProps {
  serverId: string;
  range: Chosen;
}

/** Chooses among names, which are asked for only once the list is open. */
function Pick({ label, chosen, onChange, children }: ListProps & { label: string; children: ReactNode }) {
  const all = `All ${label}`;
  const [only] = chosen;
  const what = only === undefined ? all : chosen.length === 1 ? only : `${String(chosen.length)} ${label}`;
  return (
    <span className={css.pick}>
      <Menu title={all} label={<Name short>{what}</Name>}>
        {() => children}
      </Menu>
      {chosen.length > 0 && (
        <Button
          kind="quiet"
          small
          aria-label={`Show all ${label}`}
          onClick={() => {
            onChange([]);
          }}
        >
          <X size={13} aria-hidden="true" />
        </Button>
      )}
    </span>
  );
}

function Names({
  label,
  chosen,
  onChange,
  names,
}: ListProps & { label: string; names: string[] | undefined }) {
  const [wanted, setWanted] = useState("");
  const found = [...new Set([...chosen, ...(names ?? [])])].filter((name) =>
    name.toLowerCase().includes(wanted.toLowerCase()),
  );
  return (
    <div className={css.names}>
      <input
        type="search"
        className={css.search}
        aria-label={`Find among ${label}`}
        placeholder="Find…"
        value={wanted}
        onChange={(event) => {
          setWanted(event.target.value);
        }}
      />
      {names === undefined && <p className={css.hint}>Loading…</p>}
      {names !== undefined && found.length === 0 && <p className={css.hint}>None by that name.</p>}
      <ul>
        {found.slice(0, SHOWN).map((name) => (
          <li key={name}>
            <label className={css.name}>
              <input
                type="checkbox"
                checked={chosen.includes(name)}
                onChange={(event) => {
                  onChange(event.target.checked ? [...chosen, name] : chosen.filter((one) => one !== name));
                }}
              />
              <Name short>{name}</Name>
            </label>
          </li>
        ))}
      </ul>
      {found.length > SHOWN && <p className={css.hint}>Type to find among {found.length - SHOWN} more.</p>}
    </div>
  );
}
