import { demoServer, expect, loaded, test } from "../lib/test.ts";

test("range, filters and order live in the address", async ({ page }) => {
  const { id } = await demoServer(page);
  await page.goto(`/s/${id}`);
  await loaded(page);

  await page.getByRole("button", { name: "30 days" }).click();
  await expect(page).toHaveURL(/last_days=30/u);
  await page.getByRole("button", { name: "All tools" }).click();
  const first = page.getByRole("group", { name: "All tools" }).getByRole("checkbox").first();
  await first.check();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/tools=/u);
  const filtered = page.url();
  await expect(page.getByRole("group", { name: "Tools" }).getByRole("rowheader")).toHaveCount(1);

  // Other pages keep them, and so do reload, back and a copied link.
  await page.getByRole("link", { name: "Sessions" }).click();
  await expect(page).toHaveURL(/last_days=30.*tools=/u);
  await page.goBack();
  await expect(page).toHaveURL(filtered);
  await page.reload();
  await expect(page.getByRole("button", { name: "30 days" })).toHaveAttribute("aria-pressed", "true");
  await page.goBack();
  await expect(page).toHaveURL(/last_days=30$/u);

  await page.getByRole("button", { name: "Sort by Mean answer" }).click();
  await expect(page).toHaveURL(/sort=-mean_units/u);
});

test("a failing endpoint breaks one panel, not the page", async ({ page, provoked }) => {
  provoked.push(/503/u);
  const { id } = await demoServer(page);
  await page.route("**/insights?*", (route) =>
    route.fulfill({
      status: 503,
      contentType: "application/problem+json",
      body: JSON.stringify({
        type: "urn:test",
        title: "Unavailable right now",
        status: 503,
        detail: "made by a test",
      }),
    }),
  );
  // And one that never answers.
  await page.route("**/tools?*", () => undefined);
  await page.goto(`/s/${id}`);
  await expect(page.getByRole("alert")).toContainText("made by a test");
  await expect(page.getByRole("alert")).toHaveCount(1);
  await expect(page.getByTestId("figure-calls")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Calls over time" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Clients" })).toBeVisible();
  await expect(page.getByRole("status", { name: "Loading the tools" })).toBeVisible();
});

test("a chart says the same as a table, and tables can be taken away as CSV", async ({ page }) => {
  const { id } = await demoServer(page);
  await page.goto(`/s/${id}`);
  await page.getByRole("button", { name: "Calls over time: show the table" }).click();
  const table = page.getByRole("table", { name: "Calls over time" });
  await expect(table.getByRole("row")).toHaveCount(8);

  const tools = page.getByRole("region", { name: "Tools", exact: true });
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    tools.getByRole("button", { name: "CSV" }).click(),
  ]);
  expect(file.suggestedFilename()).toBe("tools.csv");

  // And every call of the range, with the page's filters.
  await page.goto(`/s/${id}/sessions?last_days=1`);
  await page.getByRole("button", { name: "Export calls" }).click();
  const formats = page.getByRole("group", { name: "Every call of this range" });
  const [calls] = await Promise.all([
    page.waitForEvent("download"),
    formats.getByRole("link", { name: "CSV" }).click(),
  ]);
  expect(calls.suggestedFilename()).toBe(`calls-${id}.csv`);
  expect(calls.url()).toMatch(/\/export\?format=csv&last_days=1$/u);
});

test("a link to a table opens the page there", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { id } = await demoServer(page);
  await page.goto(`/s/${id}?last_days=30`);
  await loaded(page);
  await page.getByRole("button", { name: "Copy a link to Clients" }).click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toMatch(/\?last_days=30#clients$/u);
  await page.goto("/servers");
  await page.goto(link);
  await expect(page.getByRole("heading", { name: "Clients" })).toBeInViewport();
  await expect(page.getByRole("button", { name: "30 days" })).toHaveAttribute("aria-pressed", "true");
});

test("everything is reached by keyboard", async ({ page }) => {
  const { id } = await demoServer(page);
  await page.goto(`/s/${id}`);
  await loaded(page);
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to the page" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();

  // Definitions open on focus and close on Escape.
  const term = page.getByRole("button", { name: "First-call success" }).first();
  await term.focus();
  const tip = page.getByRole("tooltip").filter({ hasText: "gave the model what it wanted" }).first();
  await expect(tip).toBeVisible();
  await page.keyboard.press("Escape");

  // Tab visits every link and button of the page, and each shows that it has the focus. Nothing new comes meanwhile:
  // the demo goes on, and what moves up behind the focus is not visited.
  await page.route("**/v1/**", () => undefined);
  await page.getByRole("main").focus();
  const missed = await page.evaluate(() => {
    const all = document.querySelectorAll("main a[href], main button, main input, main summary");
    // What a closed list of further insights holds is reached once that is open.
    const wanted = [...all].filter((element) => !element.matches(":disabled") && element.checkVisibility());
    for (const element of wanted) element.setAttribute("data-missed", "");
    document.addEventListener("focusin", ({ target }) => {
      if (!(target instanceof HTMLElement)) return;
      if (getComputedStyle(target).outlineStyle !== "none") target.removeAttribute("data-missed");
    });
    return wanted.length;
  });
  expect(missed).toBeGreaterThan(20);
  const onPage = (): Promise<boolean> =>
    page.evaluate(() => document.querySelector("main")?.contains(document.activeElement) ?? false);
  for (let presses = 0; presses < 3 * missed && (await onPage()); presses += 1) {
    await page.keyboard.press("Tab");
  }
  const left = await page.locator("[data-missed]").evaluateAll((all) => all.map((one) => one.outerHTML));
  expect(left).toEqual([]);
});
