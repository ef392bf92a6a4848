/**
 * The thread that talks to the ingest, as source text: a file of its own would have to be found
 * at run time, which fails as soon as a host is bundled.
 *
 * It shares nothing with the host but a message port and one counter. After each answer it posts
 * to the port first and raises the counter second, so that a main thread woken by the counter
 * finds the message there.
 */
export const WORKER_SOURCE = `"use strict";
const { workerData } = require("node:worker_threads");
const http = require("node:http");
const https = require("node:https");
const { port, answered, timeoutMs, answerLimit } = workerData;
const options = { keepAlive: true, maxSockets: 4 };
const agents = { "http:": new http.Agent(options), "https:": new https.Agent(options) };

port.on("message", ({ id, request }) => {
  let open = true;
  const finish = (answer) => {
    if (!open) return;
    open = false;
    clearTimeout(timer);
    port.postMessage({ id, answer });
    Atomics.add(answered, 0, 1);
    Atomics.notify(answered, 0);
  };
  let outgoing;
  const timer = setTimeout(() => {
    finish({ status: 0 });
    if (outgoing) outgoing.destroy();
  }, timeoutMs);
  const attempt = () => {
    const url = new URL(request.url);
    const sent = (url.protocol === "https:" ? https : http).request(url, {
      method: "POST",
      agent: agents[url.protocol],
      headers: { ...request.headers, "Content-Length": Buffer.byteLength(request.body) },
    });
    outgoing = sent;
    sent.on("error", ({ code }) => {
      // The ingest closed an idle connection just as it was used again: no answer at all, so the
      // request, with its idempotency key, goes out on a new one.
      if (open && sent.reusedSocket && code === "ECONNRESET") attempt();
      else finish({ status: 0 });
    });
    sent.on("response", (response) => {
      const answer = { status: response.statusCode, retryAfter: response.headers["retry-after"] };
      let body = "";
      // The status has said what became of the batch: a body that breaks off changes nothing.
      const done = () => finish({ ...answer, body });
      response.setEncoding("utf8");
      response.on("data", (text) => {
        body += text;
        if (body.length >= answerLimit) response.destroy();
      });
      response.on("end", done).on("close", done).on("error", done);
    });
    sent.end(request.body);
  };
  try {
    attempt();
  } catch {
    finish({ status: 0 });
  }
});
`;
