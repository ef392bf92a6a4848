import { STATE } from "../lib/paths.ts";
import { accessible, demoServer, expect, loaded, overview, picture, test } from "../lib/test.ts";

test("the printed link signs in, and the demo's numbers arrive and change", async ({ page }) => {
  const link = process.env["MCPULSE_E2E_LINK"] ?? "";
  await page.goto(link);
  // Looking at the page uses nothing up, and the token is gone from the address.
  const button = page.getByRole("button", { name: "Sign in" });
  await expect(button).toBeVisible();
  expect(page.url()).not.toContain("#");
  await accessible(page);
  await picture(page, "sign-in");
  await button.click();
  await expect(page.getByRole("heading", { name: "Servers" })).toBeVisible();
  await page.context().storageState({ path: STATE });

  const server = await demoServer(page);
  await page.getByRole("link", { name: server.name }).first().click();
  await loaded(page);
  const calls = page.getByTestId("figure-calls");
  const shown = async (): Promise<number> => Number((await calls.innerText()).replaceAll(",", ""));

  // They arrive …
  await expect.poll(shown).toBeGreaterThan(0);
  await picture(page, "numbers-arrive");
  const before = await shown();
  // … change without a reload …
  await expect.poll(shown).toBeGreaterThan(before);
  // … and are what REST says: the page may lag behind it, never run ahead of it.
  const onPage = await shown();
  expect((await overview(page, server.id)).figures.calls).toBeGreaterThanOrEqual(onPage);
  await picture(page, "numbers-change");
});

test("a link works once", async ({ page, provoked }) => {
  provoked.push(/401/u);
  await page.goto(process.env["MCPULSE_E2E_LINK"] ?? "");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toContainText("This link cannot be used");
  await accessible(page);
});

test("whoever is not signed in is asked to, and comes back to where they were going", async ({
  page,
  provoked,
}) => {
  provoked.push(/401/u);
  await page.goto("/servers?x=1");
  await expect(page.getByRole("heading", { name: "Sign in with a link" })).toBeVisible();
  expect(new URL(page.url()).searchParams.get("next")).toBe("/servers");
});
