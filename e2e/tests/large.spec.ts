import { call, expect, fits, loaded, makeServer, picture, post, test } from "../lib/test.ts";

const HEX = (n: number): string => n.toString(16).padStart(12, "0");

test("a session of five thousand calls stays readable", async ({ page }) => {
  const { id, secret } = await makeServer(page, "long session");
  const began = Date.now() - 3_600_000;
  const outcomes = ["ok", "ok", "ok", "ok", "bad_args", "tool_error", "crashed"];
  for (let batch = 0; batch < 10; batch += 1) {
    const calls = Array.from({ length: 500 }, (_, i) => {
      const n = batch * 500 + i;
      return call(`tool_${String(n % 12)}`, {
        session_id: "s_long",
        started_at: new Date(began + n * 700).toISOString(),
        duration_ms: 50 + (n % 90) * 40,
        outcome: outcomes[n % outcomes.length],
        args_hash: HEX(n + 1),
      });
    });
    expect((await post(secret, calls)).status).toBe(202);
  }
  await page.goto(`/s/${id}/sessions/s_long`);
  await loaded(page);
  for (let more = 0; more < 4; more += 1) {
    const shown = page.getByText(`the first ${String(more + 1)},000 are shown`);
    await expect(shown).toBeVisible();
    await page.getByRole("button", { name: "Show the next thousand" }).click();
    await expect(shown).toHaveCount(0);
  }
  await expect(page.getByRole("heading", { name: "5,000 calls" })).toBeVisible();
  const marks = page.getByRole("img", { name: /Calls in time order/u }).locator("rect");
  expect(await marks.count()).toBeGreaterThanOrEqual(5000);
  await fits(page);
  await page.screenshot({ path: test.info().outputPath("long-session.png") });
});

test("five hundred tools and two thousand names stay usable", async ({ page }) => {
  const { id, secret } = await makeServer(page, "many names");
  const tools = Array.from({ length: 500 }, (_, i) => ({
    name: `registered_${String(i)}`,
    schema_bytes: 400 + i,
  }));
  const startup = { v: 1, type: "startup", session_id: "s_many", client_name: "e2e", tools };
  expect((await post(secret, [startup])).status).toBe(202);
  for (let batch = 0; batch < 4; batch += 1) {
    const calls = Array.from({ length: 500 }, (_, i) =>
      call(`called_${String(batch * 500 + i)}`, { session_id: "s_many" }),
    );
    expect((await post(secret, calls)).status).toBe(202);
  }
  await page.goto(`/s/${id}/tools`);
  await loaded(page);
  // A table draws a hundred rows until it is asked for more, and the filter finds any name.
  const rows = page.getByRole("main").getByRole("rowheader");
  await expect(rows).toHaveCount(100);
  await page.getByRole("button", { name: "All tools" }).click();
  const names = page.getByRole("group", { name: "All tools" });
  await names.getByRole("searchbox").fill("called_1234");
  await names.getByRole("checkbox", { name: "called_1234" }).check();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/tools=called_1234/u);
  await expect(page.getByRole("main").getByRole("link", { name: "called_1234" })).toBeVisible();
  await fits(page);
  await picture(page, "many-names");
});
