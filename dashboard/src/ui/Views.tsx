import { BarChart3, Table } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Button } from "./Button";
import { CsvButton, DataTable, type Column } from "./DataTable";
import { Panel } from "./Panel";

/** A chart with the table that says the same, one click apart, and a download of it. */
export function ChartPanel<Row>({
  title,
  note,
  name,
  columns,
  rows,
  rowKey,
  children,
}: {
  title: string;
  note?: ReactNode;
  /** Of the downloaded file. */
  name: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  children: ReactNode;
}) {
  const [table, setTable] = useState(false);
  return (
    <Panel
      title={title}
      note={note}
      actions={
        <>
          <Button
            small
            kind="quiet"
            aria-label={table ? `${title}: show the chart` : `${title}: show the table`}
            onClick={() => {
              setTable(!table);
            }}
          >
            {table ? <BarChart3 size={13} aria-hidden="true" /> : <Table size={13} aria-hidden="true" />}
            {table ? "Chart" : "Table"}
          </Button>
          <CsvButton name={name} columns={columns} rows={rows} />
        </>
      }
    >
      {table ? <DataTable caption={title} columns={columns} rows={rows} rowKey={rowKey} /> : children}
    </Panel>
  );
}
