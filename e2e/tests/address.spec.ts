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
  await page.goto(`/s/${id}`);
  await expect(page.getByRole("alert")).toContainText("made by a test");
  await expect(page.getByTestId("figure-calls")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Calls over time" })).toBeVisible();
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

  // Every link and button can be focused, and shows that it is.
  const stuck = await page.evaluate(() => {
    const bad: string[] = [];
    for (const element of document.querySelectorAll<HTMLElement>(
      "main a[href], main button, main input, main summary",
    )) {
      if (element.matches(":disabled") || element.closest("[hidden]")) continue;
      element.focus();
      if (document.activeElement !== element) bad.push(element.outerHTML.slice(0, 100));
    }
    return bad;
  });
  expect(stuck).toEqual([]);
});
