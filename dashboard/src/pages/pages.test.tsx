import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { open, problem, type Answers } from "@/test/app";
import { confidence, insights, me, overview, server, toolRow, tools } from "@/test/fixtures";

const base: Answers = {
  "GET /v1/me": me,
  "GET /v1/accounts/acc_1/servers": { items: [server] },
  "GET /v1/servers/srv_1": server,
  "GET /v1/servers/srv_1/overview": overview,
  "GET /v1/servers/srv_1/tools": tools,
  "GET /v1/servers/srv_1/insights": insights,
  "GET /v1/servers/srv_1/keys": { items: [] },
};

describe("signing in", () => {
  it("uses the link up only on a click, and takes its token out of the address", async () => {
    window.location.hash = "#mp_link_secret";
    const { asked, router } = open("/sign-in", { ...base, "POST /v1/sign-in": me });
    const button = await screen.findByRole("button", { name: "Sign in" });
    expect(window.location.href).not.toContain("mp_link_secret");
    expect(asked).toEqual([]);
    await userEvent.click(button);
    await screen.findByRole("heading", { name: "Servers" });
    expect(asked[0]).toMatchObject({
      method: "POST",
      path: "/v1/sign-in",
      body: { token: "mp_link_secret" },
    });
    expect(router.state.location.pathname).toBe("/servers");
  });

  it("says what to do when the link is used up", async () => {
    window.location.hash = "#mp_link_old";
    open("/sign-in", {
      "POST /v1/sign-in": problem(401, "Not signed in", "the sign-in link is unknown, used or expired"),
    });
    await userEvent.click(await screen.findByRole("button", { name: "Sign in" }));
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("used or expired");
    expect(screen.getByText("mcpulse login-link")).toBeTruthy();
  });

  it.each(["//evil.example", "https://evil.example", "/\\evil.example"])(
    "sends nobody elsewhere afterwards: %s",
    async (next) => {
      const { router } = open(`/sign-in?next=${encodeURIComponent(next)}`, base);
      await screen.findByRole("heading", { name: /Sign in/u });
      expect(router.state.matches.at(-1)?.search).toEqual({});
      expect(router.state.location.search).toEqual({});
    },
  );

  it("asks whoever is no longer known to sign in, and keeps where they were", async () => {
    const gone = problem(401, "Not signed in");
    const { router } = open("/s/srv_1/tools?last_days=30", { "GET /v1/servers/srv_1": gone });
    await screen.findByRole("heading", { name: /Sign in/u });
    expect(router.state.location.search).toEqual({ next: "/s/srv_1/tools?last_days=30" });
  });
});

describe("the first run", () => {
  it("leads from no server to a key that is shown once", async () => {
    const secret = `mp_live_${"a".repeat(32)}`;
    const key = {
      id: "key_1",
      server_id: "srv_1",
      name: "first key",
      prefix: secret.slice(0, 12),
      limit_per_minute: 10_000,
      created_ms: 0,
      revoked_ms: null,
    };
    const nothing = {
      ...overview,
      confidence: { ...confidence, newest_payload_ms: null, newest_payload_age_ms: null },
    };
    const { asked } = open("/servers", {
      ...base,
      "GET /v1/accounts/acc_1/servers": { items: [] },
      "POST /v1/accounts/acc_1/servers": [201, server],
      "POST /v1/servers/srv_1/keys": [201, { key, secret }],
      "GET /v1/servers/srv_1/keys": { items: [key] },
      "GET /v1/servers/srv_1/overview": nothing,
    });
    await userEvent.click(await screen.findByRole("button", { name: "Add a server" }));
    await userEvent.type(screen.getByLabelText("Name"), "orders");
    await userEvent.click(screen.getByRole("button", { name: "Add and make a key" }));
    expect((await screen.findByTestId("secret")).textContent).toBe(secret);
    expect(screen.getByText("Waiting for the first payload…")).toBeTruthy();
    expect(screen.getByText(new RegExp(`MCPULSE_KEY=${secret}`, "u"))).toBeTruthy();
    const writes = asked.filter((one) => one.method === "POST");
    expect(writes.map((one) => [one.path, one.body])).toEqual([
      ["/v1/accounts/acc_1/servers", { name: "orders" }],
      ["/v1/servers/srv_1/keys", { name: "first key" }],
    ]);
  });

  it("shows which rule a name broke, at the field", async () => {
    const rule = "must have 1 to 100 characters";
    open("/servers", {
      ...base,
      "POST /v1/accounts/acc_1/servers": problem(422, "Invalid input", "", [{ field: "name", rule }]),
    });
    await userEvent.click(await screen.findByRole("button", { name: "Add a server" }));
    const field = screen.getByLabelText("Name");
    await userEvent.type(field, "x");
    await userEvent.click(screen.getByRole("button", { name: "Add and make a key" }));
    await screen.findByText(rule);
    expect(field.getAttribute("aria-invalid")).toBe("true");
  });

  it("says where to begin when nothing has arrived", async () => {
    const nothing = {
      ...overview,
      confidence: { ...confidence, newest_payload_ms: null, newest_payload_age_ms: null },
    };
    open("/s/srv_1", { ...base, "GET /v1/servers/srv_1/overview": nothing });
    expect(await screen.findByText("Nothing has arrived yet")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Install" })).toBeTruthy();
  });
});

describe("the overview", () => {
  it("shows first-call success between its bounds", async () => {
    const { container } = open("/s/srv_1", base);
    await screen.findByText("Cost per session");
    const list = container.querySelector("dl.figures");
    expect(list?.textContent).toContain("80.0%");
    expect(list?.textContent).toMatch(/strict.*60\.0%.*lenient.*90\.0%/u);
  });

  it("asks with the range and filters of the address", async () => {
    const { asked } = open("/s/srv_1?last_days=30&tools=a&tools=b%26c&clients=cursor", base);
    await screen.findByText("What to fix first");
    const query = asked.find((one) => one.path.endsWith("/overview"))?.query;
    expect(query?.get("last_days")).toBe("30");
    expect(query?.getAll("tools")).toEqual(["a", "b&c"]);
    expect(query?.getAll("clients")).toEqual(["cursor"]);
  });

  it("stands when one of its questions fails", async () => {
    open("/s/srv_1", {
      ...base,
      "GET /v1/servers/srv_1/insights": problem(503, "Unavailable right now", "the event store is busy"),
      "GET /v1/servers/srv_1/tools": problem(403, "Not allowed", "the access token lacks the scope read"),
    });
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("the event store is busy");
    expect(within(alert).getByRole("button", { name: "Try again" })).toBeTruthy();
    expect(await screen.findByText("Your role does not allow this")).toBeTruthy();
    expect(await screen.findByText("Data confidence")).toBeTruthy();
  });

  it("takes names for text, whatever they hold", async () => {
    const hostile = `<img src=x onerror="window.pwned=1">\u202Egnp.exe`;
    const { container } = open("/s/srv_1", {
      ...base,
      "GET /v1/servers/srv_1/tools": { ...tools, tools: [{ ...toolRow, tool: hostile }] },
    });
    const name = await screen.findByTitle(hostile);
    expect(name.tagName).toBe("BDI");
    expect(container.querySelector("img")).toBeNull();
    const link = name.closest("a");
    expect(decodeURIComponent(link?.getAttribute("href") ?? "")).toContain(hostile);
  });

  it("keeps the order of a table in the address", async () => {
    const { router } = open("/s/srv_1", base);
    await userEvent.click(await screen.findByRole("button", { name: "Sort by p95" }));
    await waitFor(() => {
      expect(router.state.location.search).toEqual({ sort: "-p95_ms" });
    });
  });
});

it("says so when somebody else's server is asked for", async () => {
  open("/s/srv_2", base);
  expect(await screen.findByText("Not found")).toBeTruthy();
});
