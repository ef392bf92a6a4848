import { ANSWER_LIMIT, type Answer, REQUEST_TIMEOUT_MS, type Transport } from "./transport.js";

/** The transport for runtimes with `fetch` and no threads to send from. */
export function fetchTransport(): Transport {
  return {
    send(request, done) {
      exchange(request.url, {
        method: "POST",
        headers: request.headers,
        body: request.body,
        // A redirect would carry the ingest key elsewhere.
        redirect: "manual",
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      }).then(done, () => done({ status: 0 }));
    },
    keepAlive: () => {},
  };
}

async function exchange(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  const retryAfter = response.headers.get("retry-after");
  return {
    status: response.status,
    ...(retryAfter === null ? {} : { retryAfter }),
    body: await readStart(response),
  };
}

/** The status already says whether the batch was taken, so a broken body is no failure. */
async function readStart(response: Response): Promise<string> {
  let text = "";
  try {
    const reader = response.body?.getReader();
    if (reader === undefined) return text;
    const decoder = new TextDecoder();
    while (text.length < ANSWER_LIMIT) {
      const { done, value } = await reader.read();
      if (done) return text;
      text += decoder.decode(value, { stream: true });
    }
    await reader.cancel();
  } catch {
    // Closed half way, or too slow.
  }
  return text;
}
