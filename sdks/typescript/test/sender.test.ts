import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ours } from "../src/guard.js";
import { BATCH_AGE_MS, RETRY_MS, RING_CAPACITY, Sender } from "../src/send/sender.js";
import type { Answer, Outgoing, Transport } from "../src/send/transport.js";
import type { CallPayload, Payload, StartupPayload } from "../src/wire/payloads.js";
import { ManualClock } from "./support/clock.js";

interface Flight {
  readonly request: Outgoing;
  readonly batch: readonly Payload[];
  readonly answer: (answer: Answer) => void;
}

/** A sender whose clock and transport are in the test's hands. */
function setUp({ sharesIo = true } = {}) {
  const clock = new ManualClock();
  const flights: Flight[] = [];
  const said: string[] = [];
  const transport: Transport = {
    send: (request, answer) => {
      flights.push({ request, batch: JSON.parse(request.body).batch, answer });
    },
    keepAlive: () => {},
  };
  const sender = new Sender({
    url: "http://ingest/v1/ingest",
    headers: { Authorization: "Bearer key" },
    transport,
    clock,
    sharesIo,
    say: (line) => void said.push(line()),
  });
  const last = () => flights.at(-1) as Flight;
  return { clock, flights, last, sender, said };
}

function call(n: number): CallPayload {
  return {
    v: 1,
    type: "call",
    session_id: "s_0123456789ab",
    client_name: "test",
    tool_name: `tool_${n}`,
    started_at: "2026-01-01T00:00:00.000Z",
    duration_ms: 1,
    outcome: "ok",
    response_bytes: 2,
    is_empty: false,
    args_hash: "44136fa355b3",
  };
}

function startup(name: string): StartupPayload {
  return {
    v: 1,
    type: "startup",
    session_id: "s_0123456789ab",
    client_name: "test",
    tools: [{ name, schema_bytes: 2 }],
  };
}

function names(batch: readonly Payload[]): string[] {
  return batch.map((payload) =>
    payload.type === "call"
      ? payload.tool_name
      : payload.type === "startup"
        ? `startup ${payload.tools[0]?.name}`
        : payload.type,
  );
}

const TAKEN: Answer = { status: 202 };
const NOTHING: Answer = { status: 0 };

describe("a fault of our own", () => {
  test("reaches nobody, and is told of", () => {
    let told = 0;
    const broken = () => {
      throw new Error("ours");
    };
    assert.equal(
      ours(broken, () => {
        told += 1;
        broken();
      }),
      undefined,
    );
    assert.equal(told, 1);
    assert.equal(
      ours(() => 7, broken),
      7,
    );
  });
});

describe("batches", () => {
  test("leave after five seconds", () => {
    const { clock, flights, sender } = setUp();
    sender.push(call(1));
    clock.advance(BATCH_AGE_MS - 1);
    assert.equal(flights.length, 0);
    clock.advance(1);
    assert.deepEqual(
      flights.map(({ batch }) => names(batch)),
      [["tool_1"]],
    );
  });

  test("are said to be taken in plain letters, whatever the ingest says", () => {
    const { clock, last, said, sender } = setUp();
    sender.push(call(1));
    clock.advance(BATCH_AGE_MS);
    last().answer({ status: 202, body: '{"accepted":1}\u001b[2J\u0007é\n' });
    assert.equal(said.at(-1), 'taken: {"accepted":1}?[2J???');
  });

  test("leave at thirty payloads", () => {
    const { clock, flights, sender } = setUp();
    for (let n = 0; n < 29; n += 1) sender.push(call(n));
    clock.advance(0);
    assert.equal(flights.length, 0);
    sender.push(call(29));
    clock.advance(0);
    assert.equal(flights[0]?.batch.length, 30);
  });

  test("hold at most 500 payloads, one request at a time", () => {
    const { clock, flights, last, sender } = setUp();
    for (let n = 0; n < 700; n += 1) sender.push(call(n));
    clock.advance(0);
    assert.equal(flights.length, 1);
    assert.equal(last().batch.length, 500);
    clock.advance(1000);
    assert.equal(flights.length, 1);
    last().answer(TAKEN);
    clock.advance(0);
    assert.equal(last().batch.length, 200);
  });

  test("hold at most 1 MiB", () => {
    const { clock, last, sender } = setUp();
    const wide = { ...call(0), tool_name: "🚀".repeat(200), session_id: "é".repeat(128) };
    // Larger than any real payload, to reach the byte limit before the count.
    const huge = { ...wide, client_name: "東".repeat(2000) };
    for (let n = 0; n < 200; n += 1) sender.push(huge);
    clock.advance(0);
    assert.ok(Buffer.byteLength(last().request.body) <= 1024 * 1024);
    assert.ok(last().batch.length < 200);
  });

  test("carry the headers and a new 128-bit key each", () => {
    const { clock, flights, last, sender } = setUp();
    for (let n = 0; n < 2; n += 1) {
      sender.push(call(n));
      clock.advance(BATCH_AGE_MS);
      last().answer(TAKEN);
    }
    const keys = flights.map(({ request }) => request.headers["Idempotency-Key"] ?? "");
    for (const key of keys) assert.match(key, /^[0-9a-f]{32}$/);
    assert.notEqual(keys[0], keys[1]);
    assert.equal(last().request.headers.Authorization, "Bearer key");
  });
});

describe("answers", () => {
  for (const status of [0, 429, 503]) {
    test(`${status} is tried again, with its key, no sooner than after five seconds`, () => {
      const { clock, flights, last, sender } = setUp();
      sender.push(call(1));
      clock.advance(BATCH_AGE_MS);
      last().answer({ status });
      sender.push(call(2));
      clock.advance(RETRY_MS - 1);
      assert.equal(flights.length, 1);
      clock.advance(1001);
      assert.equal(flights.length, 2);
      assert.deepEqual(flights[1]?.request, flights[0]?.request);
      last().answer(TAKEN);
      clock.advance(BATCH_AGE_MS);
      assert.deepEqual(names(last().batch), ["tool_2"]);
    });
  }

  test("Retry-After is waited for, in seconds or as a date", () => {
    for (const wait of [(_: ManualClock) => "60", laterBy(60_000)]) {
      const { clock, flights, last, sender } = setUp();
      sender.push(call(1));
      clock.advance(BATCH_AGE_MS);
      last().answer({ status: 429, retryAfter: wait(clock) });
      for (let n = 0; n < 40; n += 1) sender.push(call(n));
      clock.advance(59_000);
      sender.dispatchAll();
      assert.equal(flights.length, 1);
      clock.advance(2001);
      assert.equal(flights.length, 2);
    }
  });

  function laterBy(ms: number) {
    return (clock: ManualClock) => new Date(clock.date() + ms + 999).toUTCString();
  }

  for (const status of [200, 301, 400, 401, 413, 415, 418, 500, 502]) {
    test(`${status} ends the batch`, () => {
      const { clock, flights, last, sender } = setUp();
      sender.push(call(1));
      clock.advance(BATCH_AGE_MS);
      last().answer({ status });
      clock.advance(60_000);
      assert.equal(flights.length, 1);
      assert.match(String(sender.loss), new RegExp(`dropped 1 \\(answered ${status} 1\\)`));
      sender.push(call(2));
      clock.advance(BATCH_AGE_MS);
      assert.deepEqual(names(last().batch), ["tool_2"]);
    });
  }

  test("an answer that comes after the next attempt began changes nothing", () => {
    const { clock, flights, sender } = setUp();
    sender.push(call(1));
    clock.advance(BATCH_AGE_MS);
    // The transport itself gives up after ten seconds; here it has died and never does.
    clock.advance(20_000);
    sender.push(call(2));
    clock.advance(BATCH_AGE_MS);
    assert.equal(flights.length, 2);
    assert.deepEqual(flights[1]?.request, flights[0]?.request);
    flights[0]?.answer({ status: 400 });
    flights[1]?.answer(TAKEN);
    assert.match(String(sender.loss), /recorded 2, sent 1, dropped 0/);
  });
});

describe("the ring", () => {
  test("drops the oldest and counts them", () => {
    const { clock, last, sender } = setUp();
    for (let n = 0; n < RING_CAPACITY + 5; n += 1) sender.push(call(n));
    clock.advance(0);
    assert.equal(names(last().batch)[0], "tool_5");
    assert.match(String(sender.loss), /dropped 5 \(ring full 5\)/);
  });

  test("takes back the oldest of a batch that waits, and keeps its key", () => {
    const { clock, flights, last, sender } = setUp();
    for (let n = 0; n < 30; n += 1) sender.push(call(n));
    clock.advance(0);
    last().answer(NOTHING);
    for (let n = 30; n < RING_CAPACITY + 10; n += 1) sender.push(call(n));
    clock.advance(RETRY_MS + 1000);
    assert.equal(last().batch.length, 20);
    assert.equal(names(last().batch)[0], "tool_10");
    assert.equal(
      last().request.headers["Idempotency-Key"],
      flights[0]?.request.headers["Idempotency-Key"],
    );
  });

  test("forgets a batch it took back altogether", () => {
    const { clock, last, sender } = setUp();
    sender.push(call(0));
    clock.advance(BATCH_AGE_MS);
    last().answer(NOTHING);
    for (let n = 1; n < RING_CAPACITY + 1; n += 1) sender.push(call(n));
    clock.advance(RETRY_MS + 1000);
    assert.equal(names(last().batch)[0], "tool_1");
    assert.equal(sender.held, RING_CAPACITY);
  });

  test("does not count as dropped what arrived after all", () => {
    const { clock, last, sender } = setUp();
    for (let n = 0; n < 30; n += 1) sender.push(call(n));
    clock.advance(0);
    for (let n = 30; n < RING_CAPACITY + 10; n += 1) sender.push(call(n));
    assert.match(String(sender.loss), /dropped 10/);
    last().answer(TAKEN);
    assert.match(String(sender.loss), /sent 30, dropped 0/);
    assert.equal(sender.held, RING_CAPACITY - 20);
  });

  test("never holds more than its capacity, whatever the ingest does", () => {
    const { clock, flights, sender } = setUp();
    const answers = [0, 202, 503, 400, 429, 202, 500];
    let seed = 7;
    for (let n = 0; n < 20_000; n += 1) {
      sender.push(call(n));
      seed = (seed * 48_271) % 2_147_483_647;
      if (seed % 11 === 0) clock.advance(seed % 900);
      if (seed % 7 === 0) flights.at(-1)?.answer({ status: answers[seed % 5] ?? 202 });
      assert.ok(sender.held <= RING_CAPACITY);
    }
    const [recorded, sent, dropped] = (String(sender.loss).match(/\d+/g) ?? []).map(Number);
    assert.equal(recorded, (sent ?? 0) + (dropped ?? 0) + sender.held);
  });
});

describe("the startup", () => {
  test("leads every batch until one is taken", () => {
    const { clock, last, sender } = setUp();
    sender.lead(startup("a"), "a");
    for (const status of [500, 400, 401]) {
      sender.push(call(1));
      clock.advance(BATCH_AGE_MS + RETRY_MS + 1000);
      assert.deepEqual(names(last().batch), ["startup a", "tool_1"]);
      last().answer({ status });
    }
    sender.push(call(2));
    clock.advance(BATCH_AGE_MS + RETRY_MS + 1000);
    assert.deepEqual(names(last().batch), ["startup a", "tool_2"]);
    last().answer(TAKEN);
    sender.push(call(3));
    clock.advance(BATCH_AGE_MS);
    assert.deepEqual(names(last().batch), ["tool_3"]);
  });

  test("is sent without any call", () => {
    const { clock, last, sender } = setUp();
    sender.lead(startup("a"), "a");
    clock.advance(BATCH_AGE_MS);
    assert.deepEqual(names(last().batch), ["startup a"]);
    last().answer(NOTHING);
    clock.advance(RETRY_MS + 1000);
    assert.deepEqual(names(last().batch), ["startup a"]);
  });

  test("alone does not insist with an ingest that refuses it", () => {
    const { clock, flights, last, sender } = setUp();
    sender.lead(startup("a"), "a");
    clock.advance(BATCH_AGE_MS);
    last().answer({ status: 401 });
    clock.advance(600_000);
    assert.equal(flights.length, 1);
  });

  test("survives a full ring", () => {
    const { clock, last, sender } = setUp();
    sender.lead(startup("a"), "a");
    for (let n = 0; n < RING_CAPACITY * 2; n += 1) sender.push(call(n));
    clock.advance(0);
    assert.equal(names(last().batch)[0], "startup a");
  });

  test("of an older surface comes before that of a newer one", () => {
    const { clock, last, sender } = setUp();
    sender.lead(startup("a"), "a");
    sender.push(call(1));
    sender.lead(startup("b"), "b");
    clock.advance(BATCH_AGE_MS);
    assert.deepEqual(names(last().batch), ["startup a", "startup b", "tool_1"]);
    last().answer(TAKEN);
    sender.push(call(2));
    clock.advance(BATCH_AGE_MS);
    assert.deepEqual(names(last().batch), ["tool_2"]);
  });

  test("that came while a batch was tried again leads the next one", () => {
    const { clock, flights, last, sender } = setUp();
    sender.lead(startup("a"), "a");
    clock.advance(BATCH_AGE_MS);
    last().answer(NOTHING);
    sender.lead(startup("b"), "b");
    clock.advance(RETRY_MS + 1000);
    assert.deepEqual(last().request, flights[0]?.request);
    last().answer(TAKEN);
    clock.advance(BATCH_AGE_MS);
    assert.deepEqual(names(last().batch), ["startup b"]);
  });
});

describe("flush", () => {
  test("sends everything at once and then resolves", async () => {
    const { flights, last, sender } = setUp();
    for (let n = 0; n < 600; n += 1) sender.push(call(n));
    const flushed = sender.flush(1000);
    last().answer(TAKEN);
    await Promise.resolve();
    await Promise.resolve();
    await new Promise(setImmediate);
    last().answer(TAKEN);
    await flushed;
    assert.deepEqual(
      flights.map(({ batch }) => batch.length),
      [500, 100],
    );
  });

  test("resolves when the ingest fails, and keeps what was not sent", async () => {
    const { last, sender } = setUp();
    sender.push(call(1));
    const flushed = sender.flush(1000);
    last().answer(NOTHING);
    await flushed;
    assert.equal(sender.held, 1);
  });

  test("resolves after its time", async () => {
    const { clock, sender } = setUp();
    sender.push(call(1));
    const flushed = sender.flush(1000);
    clock.advance(1000);
    await flushed;
  });

  test("waits for the request on its way, where it can", async () => {
    const { clock, flights, last, sender } = setUp();
    sender.push(call(1));
    clock.advance(BATCH_AGE_MS);
    sender.push(call(2));
    const flushed = sender.flush(1000);
    assert.equal(flights.length, 1);
    last().answer(TAKEN);
    await new Promise(setImmediate);
    assert.deepEqual(names(last().batch), ["tool_2"]);
    last().answer(TAKEN);
    await flushed;
  });

  test("does not wait for another request's input and output", async () => {
    const { last, sender } = setUp({ sharesIo: false });
    sender.push(call(1));
    void sender.flush(1000);
    sender.push(call(2));
    const flushed = sender.flush(1000);
    assert.deepEqual(names(last().batch), ["tool_2"]);
    last().answer(TAKEN);
    await flushed;
  });
});
