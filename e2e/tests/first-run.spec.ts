import { accessible, call, expect, loaded, makeServer, picture, post, test } from "../lib/test.ts";

test("from nothing to the first payload, and to a key that is refused", async ({ page }) => {
  await page.goto("/servers");
  await page.getByRole("button", { name: "Add a server" }).click();
  await accessible(page);
  await page.getByLabel("Name", { exact: true }).fill("made by a test 🚀");
  await page.getByRole("button", { name: "Add and make a key" }).click();

  // The secret is shown here, and filled into the snippet.
  const secret = await page.getByTestId("secret").innerText();
  expect(secret).toMatch(/^mp_live_[A-Za-z0-9]{32}$/u);
  await expect(page.getByText(`MCPULSE_KEY=${secret}`)).toBeVisible();
  await expect(page.getByText("Waiting for the first payload…")).toBeVisible();
  await accessible(page);
  await picture(page, "first-key");

  // The overview leads back here as long as nothing has arrived.
  await page.getByRole("link", { name: "Overview" }).click();
  await expect(page.getByText("Nothing has arrived yet")).toBeVisible();
  await page.getByRole("main").getByRole("link", { name: "Install" }).click();

  const answer = await post(secret, [
    call("hello"),
    call("hello", { outcome: "tool_error", is_empty: false }),
  ]);
  expect(answer.status).toBe(202);
  await expect(page.getByText(/payloads received in the last 7 days/u)).toBeVisible();
  await picture(page, "first-payload");
  await page.getByRole("link", { name: "Open the overview" }).click();
  await expect(page.getByTestId("figure-calls")).toHaveText("2");
  await expect(page.getByRole("main").getByRole("link", { name: "hello" }).first()).toBeVisible();

  // A reload forgets the secret.
  await page.getByRole("link", { name: "Keys and install" }).click();
  await page.reload();
  await loaded(page);
  await expect(page.getByTestId("secret")).toHaveCount(0);
  expect(await page.content()).not.toContain(secret);

  // A revoked key is refused at once.
  await page.getByRole("button", { name: "Revoke first key" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke", exact: true }).click();
  await expect(page.getByText(/^revoked/u)).toBeVisible();
  expect((await post(secret, [call("hello")])).status).toBe(401);
});

test("names that strangers choose stay text", async ({ page }) => {
  const { id, secret } = await makeServer(page, "<b>bold</b>");
  const names = [
    `<img src=x onerror="window.pwned=1">`,
    "שלום עולם ".repeat(20).slice(0, 200),
    "🚀".repeat(200),
    "a".repeat(200),
    "\u202Egnp.evil",
    `"><script>window.pwned=1</script>`,
  ];
  const batch = names.map((name) => call(name, { client_name: name.slice(0, 60), session_id: "s_<i>" }));
  expect((await post(secret, batch)).status).toBe(202);
  const paths = ["", "/tools", "/sessions", "/sessions/s_%3Ci%3E", "/ingest"];
  for (const [path, width] of paths.flatMap((one) => [[one, 390] as const, [one, 1280] as const])) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`/s/${id}${path}`);
    await loaded(page);
    await expect(page.locator("main img, main b:has-text('bold'), main i:has-text('x')")).toHaveCount(0);
    expect(await page.evaluate(() => "pwned" in window)).toBe(false);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(over, path).toBeLessThanOrEqual(0);
    // A name of two hundred letters is cut short in a table, and its row is no higher for it.
    for (const row of await page.getByRole("main").locator("tbody tr").all()) {
      expect((await row.boundingBox())?.height ?? 0).toBeLessThan(90);
    }
  }
  await page.goto(`/s/${id}/tools/${encodeURIComponent(names[0] ?? "")}`);
  await expect(page.getByRole("heading", { level: 1 })).toContainText(names[0] ?? "");
  await loaded(page);
  await picture(page, "hostile-names");
});

test("a tool of any name has a page, also one that browsers take for a step in a path", async ({ page }) => {
  const { id, secret } = await makeServer(page, "names of tools");
  const names = [".", "..", "~", "~.", "a/b", "a?b#c", "%2e", "\u0645\u0631\u062d\u0628\u0627 🧭"];
  expect(
    (
      await post(
        secret,
        names.map((name) => call(name)),
      )
    ).status,
  ).toBe(202);
  for (const name of names) {
    await page.goto(`/s/${id}/tools`);
    await page.getByRole("rowheader").getByRole("link", { name, exact: true }).click();
    const title = page.getByRole("heading", { level: 1 });
    await expect(title.locator("bdi")).toHaveText(name);
    await expect(page.getByTestId("figure-calls")).toHaveText("1");
    await page.reload();
    await expect(title.locator("bdi")).toHaveText(name);
    await expect(page.getByTestId("figure-calls")).toHaveText("1");
  }
});
