/** Tests of the running demo: a page that tolerates no console error, and helpers that every test shares. */
import { AxeBuilder } from "@axe-core/playwright";
import { expect, test as base, type Page } from "@playwright/test";
import { ARTIFACTS } from "./paths.ts";

interface Fixtures {
  /** Patterns of console messages that a test provokes on purpose. */
  provoked: RegExp[];
}

export const test = base.extend<Fixtures>({
  provoked: async ({}, use) => {
    await use([]);
  },
  baseURL: async ({}, use) => {
    await use(process.env["MCPULSE_E2E_URL"] ?? "");
  },
  // A breach of the content security policy shows as a console error too.
  page: async ({ page, provoked }, use) => {
    const errors: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") errors.push(message.text());
    });
    page.on("pageerror", (error) => errors.push(String(error)));
    await use(page);
    expect(errors.filter((text) => !provoked.some((pattern) => pattern.test(text)))).toEqual([]);
  },
});

export { expect };

interface Server {
  id: string;
  name: string;
}

/** A server by its name, as REST knows it. */
export async function serverNamed(page: Page, name: string): Promise<Server> {
  const me = await (await page.request.get("/v1/me")).json();
  const account: string = me.memberships[0].account.id;
  const servers = await (await page.request.get(`/v1/accounts/${account}/servers`)).json();
  const found = servers.items.find((server: Server) => server.name === name);
  expect(found, `there is a server ${name}`).toBeTruthy();
  return found;
}

/** The server that the demo makes. */
export const demoServer = (page: Page): Promise<Server> => serverNamed(page, "orders");

/** The server with two weeks of history that the first tests make. */
export const HISTORY = "handbook";

/** What the overview route says about the last seven days. */
export async function overview(page: Page, server: string): Promise<any> {
  return (await page.request.get(`/v1/servers/${server}/overview?last_days=7`)).json();
}

/** Waits until a page shows no skeletons. */
export async function loaded(page: Page): Promise<void> {
  await expect(page.getByRole("main")).toBeVisible();
  await expect(page.getByRole("status", { name: /^Loading/u })).toHaveCount(0);
}

/** Keeps a picture of the whole page. */
export async function picture(page: Page, name: string): Promise<void> {
  await page.screenshot({
    path: `${ARTIFACTS}/${name}.png`,
    fullPage: true,
    animations: "disabled",
  });
}

/** Finds no violation that axe calls serious or critical. */
export async function accessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).options({ resultTypes: ["violations"] }).analyze();
  const serious = violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, help, nodes }) => ({
      id,
      help,
      where: nodes.map((node) => node.target.join(" ")),
    }));
  expect(serious).toEqual([]);
}

/** Nothing sticks out sideways: only tables and tapes scroll, inside themselves. */
export async function fits(page: Page): Promise<void> {
  const over = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(over).toBeLessThanOrEqual(0);
}

/** Makes a server of one's own through the page, and gives its id and the secret of its first key. */
export async function makeServer(page: Page, name: string): Promise<{ id: string; secret: string }> {
  await page.goto("/servers");
  await page.getByRole("button", { name: "Add a server" }).click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByRole("button", { name: "Add and make a key" }).click();
  const secret = await page.getByTestId("secret").innerText();
  return { id: /\/s\/(srv_[^/]+)/u.exec(page.url())?.[1] ?? "", secret };
}

/** A payload of the wire format, as a producer would send it now. */
export function call(tool: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    v: 1,
    type: "call",
    session_id: "s_e2e",
    client_name: "e2e",
    tool_name: tool,
    started_at: new Date().toISOString(),
    duration_ms: 12,
    outcome: "ok",
    response_bytes: 42,
    is_empty: false,
    args_hash: "44136fa355b3",
    ...more,
  };
}

/** Posts payloads the way a producer does. */
export async function post(key: string, batch: Record<string, unknown>[]): Promise<Response> {
  return fetch(`${process.env["MCPULSE_E2E_URL"] ?? ""}/v1/ingest`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ batch }),
  });
}
