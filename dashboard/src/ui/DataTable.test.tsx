import { fireEvent, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { DataTable, sortRows, type Column } from "./DataTable";

interface Row {
  name: string;
  calls: number | null;
}

const columns: Column<Row>[] = [
  { key: "name", header: "Name", cell: (row) => row.name, sort: (row) => row.name },
  { key: "calls", header: "Calls", end: true, cell: (row) => row.calls ?? "–", sort: (row) => row.calls },
];
const rows: Row[] = [
  { name: "b", calls: 2 },
  { name: "a", calls: null },
  { name: "c", calls: 10 },
];

const names = () =>
  screen
    .getAllByRole("row")
    .slice(1)
    .map((row) => within(row).getByRole("rowheader").textContent);

it("sorts figures from the top first, with the unknown last either way", async () => {
  render(<DataTable caption="t" columns={columns} rows={rows} rowKey={(row) => row.name} />);
  expect(names()).toEqual(["b", "a", "c"]);
  const button = screen.getByRole("button", { name: "Calls" });
  await userEvent.click(button);
  expect(names()).toEqual(["c", "b", "a"]);
  expect(screen.getByRole("columnheader", { name: "Calls" }).getAttribute("aria-sort")).toBe("descending");
  await userEvent.click(button);
  expect(names()).toEqual(["b", "c", "a"]);
});

it("leaves rows alone when the address names a column that is not there", () => {
  expect(sortRows(rows, columns, "nope")).toBe(rows);
});

it("draws thousands of rows only on demand", () => {
  const many = Array.from({ length: 2000 }, (_, i) => ({ name: `t${String(i)}`, calls: i }));
  const { container } = render(
    <DataTable caption="t" columns={columns} rows={many} rowKey={(row) => row.name} />,
  );
  // Not by role, which would work out the names of all 4 000 cells.
  const drawn = () => container.querySelectorAll("tbody tr").length;
  expect(drawn()).toBe(100);
  fireEvent.click(screen.getByText("Show all 2000"));
  expect(drawn()).toBe(2000);
});
