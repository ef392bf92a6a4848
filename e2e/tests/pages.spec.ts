import type { Page } from "@playwright/test";
import { accessible, demoServer, expect, fits, loaded, picture, test } from "../lib/test.ts";

/** Every page, by the name of its pictures: how to get there, given the address of the demo's server. */
const PAGES: Record<string, (page: Page, server: string) => Promise<unknown>> = {
  servers: (page) => page.goto("/servers"),
  account: (page) => page.goto("/settings"),
  overview: (page, server) => page.goto(server),
  tools: (page, server) => page.goto(`${server}/tools`),
  tool: async (page, server) => {
    await page.goto(`${server}/tools?sort=-calls`);
    await page.getByRole("rowheader").first().getByRole("link").click();
    await expect(page.getByRole("heading", { name: "What its calls came to" })).toBeVisible();
  },
  sessions: (page, server) => page.goto(`${server}/sessions`),
  session: async (page, server) => {
    await page.goto(`${server}/sessions`);
    await page.getByRole("rowheader").last().getByRole("link").click();
    await expect(page.getByRole("heading", { name: "Tape" })).toBeVisible();
  },
  changes: (page, server) => page.goto(`${server}/changes`),
  agreements: (page, server) => page.goto(`${server}/agreements`),
  overlaps: (page, server) => page.goto(`${server}/overlaps`),
  producers: (page, server) => page.goto(`${server}/producers`),
  ingest: (page, server) => page.goto(`${server}/ingest`),
  keys: (page, server) => page.goto(`${server}/keys`),
  settings: (page, server) => page.goto(`${server}/settings`),
};

const SIZES = [
  { width: 390, height: 844 },
  { width: 1280, height: 1000 },
  { width: 1920, height: 1000 },
] as const;

// A page is opened once and then seen at every width, dark and light: that is how readers turn and resize it, too.
for (const [name, open] of Object.entries(PAGES)) {
  test(`${name}, at every width, dark and light`, async ({ page }) => {
    const { id } = await demoServer(page);
    await open(page, `/s/${id}`);
    await loaded(page);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    for (const { width, height } of SIZES) {
      await page.setViewportSize({ width, height });
      for (const theme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme: theme });
        await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
        await fits(page);
        await accessible(page);
        await picture(page, `${name}-${String(width)}-${theme}`);
      }
    }
  });
}

test("the menu of a narrow page", async ({ page }) => {
  const { id } = await demoServer(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/s/${id}?last_days=30`);
  await loaded(page);
  await page.getByRole("button", { name: "Open the menu" }).click();
  const menu = page.getByRole("navigation", { name: "Pages of this server" });
  await expect(menu).toBeVisible();
  await fits(page);
  await accessible(page);
  await picture(page, "menu-390-light");
  await menu.getByRole("link", { name: "Tools" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Tools" })).toBeVisible();
  await expect(page).toHaveURL(/\/tools\?last_days=30$/u);
  // It belonged to the page it was opened on.
  await expect(page.getByRole("button", { name: "Open the menu" })).toBeVisible();
});

test("how soon the overview is readable", async ({ page }) => {
  const { id } = await demoServer(page);
  await page.goto(`/s/${id}`);
  await page.getByTestId("figure-calls").waitFor();
  const ms = await page.evaluate(() => Math.round(performance.now()));
  // Reported, not asserted: the machine is shared.
  test.info().annotations.push({ type: "readable after", description: `${String(ms)} ms` });
  console.log(`the overview is readable ${String(ms)} ms after navigation`);
});

test("printed, a page is light, whatever the screen is, and brings its figures without the frame", async ({
  page,
}) => {
  const { id } = await demoServer(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto(`/s/${id}`);
  await loaded(page);
  const colours = (): Promise<[string, string]> =>
    page.evaluate(() => {
      const style = getComputedStyle(document.body);
      return [style.backgroundColor, style.color] as [string, string];
    });
  expect((await colours())[0]).toBe("rgb(17, 18, 21)");
  await page.setViewportSize({ width: 760, height: 1000 });
  await page.emulateMedia({ colorScheme: "dark", media: "print" });
  expect(await colours()).toEqual(["rgb(255, 255, 255)", "rgb(25, 26, 29)"]);
  await expect(page.getByTestId("figure-first-call")).toBeVisible();
  await expect(page.getByRole("navigation")).toBeHidden();
  await expect(page.getByRole("button", { name: "CSV" }).first()).toBeHidden();
  await picture(page, "printed");
});
