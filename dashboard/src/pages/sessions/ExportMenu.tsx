import { exportUrl } from "@/api/queries";
import type { Filters } from "@/lib/search";
import { buttonClass } from "@/ui/Button";
import { Menu } from "@/ui/Menu";
import css from "./ExportMenu.module.css";

const FORMATS = [
  ["csv", "CSV"],
  ["ndjson", "NDJSON, a line per call"],
  ["parquet", "Parquet"],
] as const;

/** Downloads of every call in the range, with the filters of the page. */
export function ExportMenu({ serverId, filters }: { serverId: string; filters: Filters }) {
  return (
    <Menu title="Every call of this range" label="Export calls">
      {(close) => (
        <ul className={css.list}>
          {FORMATS.map(([format, label]) => (
            <li key={format}>
              <a
                href={exportUrl(serverId, filters, format)}
                download
                className={buttonClass("quiet", true)}
                onClick={close}
              >
                {label}
              </a>
            </li>
          ))}
        </ul>
      )}
    </Menu>
  );
}
