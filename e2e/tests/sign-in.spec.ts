import { STATE } from "../lib/paths.ts";
import { history } from "../lib/history.ts";
import {
  accessible,
  demoServer,
  expect,
  HISTORY,
  loaded,
  makeServer,
  overview,
  picture,
  post,
  test,
} from "../lib/test.ts";

test("the printed link signs in, and the demo's numbers arrive and change", async ({ page }) => {
  const link = process.env["MCPULSE_E2E_LINK"] ?? "";
  const answer = await page.goto(link);
  // Nothing inline, nothing from elsewhere: a breach would show as a console error, which fails every test.
  const policy = answer?.headers()["content-security-policy"] ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain("unsafe");
  // Looking at the page uses nothing up, and the token is gone from the address.
  const button = page.getByRole("button", { name: "Sign in" });
  await expect(button).toBeVisible();
  expect(page.url()).not.toContain("#");
  await accessible(page);
  await picture(page, "sign-in");
  await button.click();
  await expect(page.getByRole("heading", { name: "Servers" })).toBeVisible();
  await page.context().storageState({ path: STATE });

  // A server with a past, for later tests: by then its calls are settled.
  const { secret } = await makeServer(page, HISTORY);
  for (const batch of history(Date.now())) expect((await post(secret, batch)).status).toBe(202);
  await page.goto("/servers");

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
