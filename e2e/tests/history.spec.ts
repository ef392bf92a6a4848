/** What only a server with a past can show. Its history is the same in every run: lib/history.ts. */
import { ARTIFACTS } from "../lib/paths.ts";
import {
  accessible,
  call,
  expect,
  HISTORY,
  loaded,
  makeServer,
  overview,
  picture,
  post,
  serverNamed,
  test,
} from "../lib/test.ts";

test("the overview: four figures, what to fix first, and all of it as REST has it", async ({ page }) => {
  const { id } = await serverNamed(page, HISTORY);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`/s/${id}`);
  await loaded(page);
  // Every figure says what it was the week before.
  for (const name of ["Calls", "First-call success", "p95 latency", "Cost per session"]) {
    const figure = page.locator("dl > div").filter({ has: page.getByRole("button", { name, exact: true }) });
    await expect(figure.getByText(/from \$?\d.*$/u)).toBeVisible();
    await expect(figure.getByTestId("sparkline")).toBeVisible();
  }
  const rest = await overview(page, id);
  const share = `${(rest.figures.first_call.first_call_success * 100).toFixed(1)}%`;
  await expect(page.getByTestId("figure-first-call")).toHaveText(share);
  await expect(page.getByTestId("figure-calls")).toHaveText(rest.figures.calls.toLocaleString("en-US"));

  // Each says what it is, of what, and as of when, on focus as on hover.
  for (const name of ["First-call success", "Calls", "p95 latency", "Cost per session"]) {
    const term = page.locator("dl").getByRole("button", { name, exact: true });
    const tip = page.locator(`[id="${(await term.getAttribute("aria-describedby")) ?? ""}"]`);
    const width = async (): Promise<number> => (await tip.boundingBox())?.width ?? 0;
    expect(await width()).toBeLessThan(5);
    await term.focus();
    await expect.poll(width).toBeGreaterThan(100);
    await expect(tip).toHaveText(/As of \d|are judged/u);
    await page.keyboard.press("Escape");
    await expect.poll(width).toBeLessThan(5);
  }
  await page.getByRole("main").focus();

  // What to fix first is read without scrolling.
  const first = page.getByRole("region", { name: "What to fix first" }).getByRole("listitem");
  await expect(first.first()).toBeInViewport({ ratio: 1 });
  await expect(first.filter({ hasText: "create_ticket" }).filter({ hasText: "cursor" })).toBeVisible();
  await page.screenshot({ path: `${ARTIFACTS}/readme-overview.png`, animations: "disabled" });
});

test("tools: the client that gets one wrong is named; dead, withheld and phantom ones are marked", async ({
  page,
}) => {
  const { id } = await serverNamed(page, HISTORY);
  await page.goto(`/s/${id}/tools`);
  await loaded(page);
  const row = (name: string) => page.getByRole("row").filter({ has: page.getByRole("link", { name }) });
  await expect(row("create_ticket").getByText(/^cursor \d+%$/u)).toBeVisible();
  await expect(row("archive_page")).toContainText("never called");
  await expect(row("archive_page").getByRole("cell").last()).toContainText("$");
  await expect(row("merge_pages")).toContainText("withheld");
  await expect(row("open_page")).toContainText("phantom");
});

test("one tool: how the owner says it is called decides its estimate, and stays", async ({ page }) => {
  const { id } = await serverNamed(page, HISTORY);
  await page.goto(`/s/${id}/tools/search_pages`);
  await loaded(page);
  const rest = await (await page.request.get(`/v1/servers/${id}/tools/search_pages?last_days=7`)).json();
  const written = (share: number): string => `${(share * 100).toFixed(1)}%`;
  const { strict, lenient } = rest.row.figures.first_call;
  const figure = page.getByTestId("figure-first-call");
  await page.getByRole("radio", { name: "called in series" }).check();
  await expect(figure).toHaveText(written(lenient));
  await page.reload();
  await expect(page.getByRole("radio", { name: "called in series" })).toBeChecked();
  // By keyboard, too: the focus stays where it is.
  await page.getByRole("radio", { name: "called in series" }).press("ArrowDown");
  await expect(page.getByRole("radio", { name: "one answer expected" })).toBeFocused();
  await expect(figure).toHaveText(written(strict));
  await page.getByRole("radio", { name: "estimated" }).check();
  await expect(figure).toHaveText(written(rest.row.figures.first_call.first_call_success));

  // The five parts are all its settled calls.
  const parts = await page
    .getByRole("region", { name: "What its calls came to" })
    .locator("dd")
    .allInnerTexts();
  const numbers = parts.map((text) => Number(text.replaceAll(",", "")));
  expect(numbers.slice(0, -1).reduce((sum, one) => sum + one, 0)).toBe(numbers.at(-1));
});

test("one session: retries and follow-ups are joined, and the table says the same", async ({ page }) => {
  const { id, secret } = await makeServer(page, "one session");
  const began = Date.now() - 600_000;
  const at = (seconds: number): string => new Date(began + seconds * 1000).toISOString();
  const calls = [
    call("find", { started_at: at(0), is_empty: true, args_hash: "00000000000a" }),
    call("find", { started_at: at(5), args_hash: "00000000000b" }),
    call("find", { started_at: at(10), args_hash: "00000000000c" }),
    call("find", { started_at: at(15), args_hash: "00000000000c" }),
    call("find", { started_at: at(15), args_hash: "00000000000d" }),
    call("show", { started_at: at(400), outcome: "crashed" }),
  ];
  expect((await post(secret, calls)).status).toBe(202);
  await page.goto(`/s/${id}/sessions/s_e2e`);
  await expect(page.getByRole("heading", { name: "6 calls" })).toBeVisible();
  const tape = page.getByRole("img", { name: /^Calls in time order/u });
  await expect(tape.locator("path")).toHaveCount(3);
  await expect(tape.getByText("6 min")).toBeVisible();
  const told = page.getByRole("table").getByRole("row");
  await expect(told.filter({ has: page.getByRole("cell", { name: "retry", exact: true }) })).toHaveCount(1);
  await expect(told.filter({ hasText: "crashed" })).toHaveCount(1);
  await tape.locator("rect").last().hover();
  await expect(page.getByText(/12\sms, 42 units, arguments/u)).toBeVisible();
  // By keyboard, too: from call to call.
  const group = page.getByRole("group", { name: "Tape of calls" });
  await group.press("Home");
  await expect(page.getByText(/empty\s12\sms, 42 units, arguments 00000000000a/u)).toBeVisible();
  await group.press("ArrowRight");
  await expect(page.getByText(/ok\s12\sms, 42 units, arguments 00000000000b/u)).toBeVisible();
});

test("ingest health: what is held of a call, field by field, and what was refused by which rule", async ({
  page,
}) => {
  const { id, secret } = await makeServer(page, "refused");
  const batch = [
    call("kept"),
    call("refused", { args_hash: "not hex" }),
    call("refused", { arguments: { a: 1 } }),
  ];
  expect((await (await post(secret, batch)).json()).accepted).toBe(1);
  await page.goto(`/s/${id}/ingest`);
  await expect(page.getByTestId("figure-rejected")).toHaveText("2");
  const refused = page.getByRole("table", { name: "Rejected payloads" });
  await expect(refused.getByRole("row").filter({ hasText: "pattern" })).toHaveCount(1);
  const tail = page.getByRole("table", { name: "Newest calls" });
  await expect(tail.getByRole("columnheader")).toHaveText([
    "seq",
    "received",
    "started_at",
    "tool_name",
    "client_name",
    "session_id",
    "outcome",
    "is_empty",
    "duration_ms",
    "response_bytes",
    "args_hash",
  ]);
  await expect(tail.getByRole("rowheader")).toHaveCount(1);
  // It is live: the next request shows by itself, with what was refused of it, and so does its call.
  await expect(page.getByText("live", { exact: true })).toBeVisible();
  const soon = new Date(Date.now() + 120_000).toISOString();
  const next = [call("next", { started_at: soon }), call("wrong", { args_hash: "not hex" })];
  expect((await post(secret, next)).status).toBe(202);
  await expect(tail.getByText("next")).toBeVisible();
  const request = page.getByRole("table", { name: "Newest requests" }).getByRole("row").last();
  await expect(request).toContainText("payload 1 /args_hash pattern");
  await expect(request).toContainText(/\d\ss ahead/u);
  // Paused, nothing comes; what came meanwhile shows afterwards.
  await page.getByRole("button", { name: "Pause" }).click();
  expect((await post(secret, [call("meanwhile")])).status).toBe(202);
  await expect(page.getByTestId("figure-accepted")).toHaveText("3");
  await expect(tail.getByText("meanwhile")).toHaveCount(0);
  await page.getByRole("button", { name: "Go on" }).click();
  await expect(tail.getByText("meanwhile")).toBeVisible();
  await expect(tail.getByRole("rowheader")).toHaveCount(3);
  await accessible(page);
  await picture(page, "ingest-live");
});
