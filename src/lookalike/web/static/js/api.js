/** Requests to the server. Each failure becomes an Error whose message is a sentence. */

const ARRAYS = { uint8: Uint8Array, uint16: Uint16Array, int32: Int32Array, float32: Float32Array };

/** The bearer token, where the server asks for one; never part of an address. */
const access = {
  token:
    /** @type {HTMLMetaElement|null} */ (document.querySelector('meta[name="lookalike-token"]'))?.content ||
    remembered(),
};

function remembered() {
  try {
    return sessionStorage.getItem("lookalike.token") ?? "";
  } catch {
    return "";
  }
}

/** @returns {boolean} whether requests carry a token */
export function hasToken() {
  return access.token !== "";
}

/** @param {string} token */
export function useToken(token) {
  access.token = token;
  try {
    sessionStorage.setItem("lookalike.token", token);
  } catch {
    // without storage the token holds until the page is closed
  }
}

/** An answer of the server that is not a result. */
export class ServerError extends Error {
  /** @param {string} message @param {number} status */
  constructor(message, status) {
    super(message);
    this.name = "ServerError";
    this.status = status;
  }
}

/**
 * Ask the server; what it still computes (503 with Retry-After) is asked for again.
 * @param {string} path below /explore @param {RequestInit} [options] @returns {Promise<Response>}
 */
async function request(path, options) {
  for (let attempt = 0; ; attempt += 1) {
    const response = await send(path, options);
    const wait = Number(response.headers.get("retry-after"));
    if (response.ok) return response;
    if (response.status !== 503 || !(wait > 0) || attempt >= 60)
      throw new ServerError(await sentence(response), response.status);
    await new Promise((resolve) => setTimeout(resolve, Math.min(wait, 10) * 1000));
    options?.signal?.throwIfAborted();
  }
}

async function send(path, options) {
  try {
    const headers = { ...options?.headers, ...(access.token ? { Authorization: `Bearer ${access.token}` } : {}) };
    return await fetch(`/explore/${path}`, { credentials: "same-origin", ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    for (const listener of lostListeners) listener();
    throw new ServerError("The server does not respond. Is lookalike serve still running?", 0);
  }
}

/** @type {(() => void)[]} called when a request found no server */
const lostListeners = [];

/** @param {() => void} listener */
export function onLost(listener) {
  lostListeners.push(listener);
}

/** @returns {Promise<boolean>} whether the server responds at all */
export async function responds() {
  try {
    return (await fetch("/healthz", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

async function sentence(response) {
  try {
    const problem = await response.json();
    if (typeof problem.detail === "string" && problem.detail) return problem.detail;
    if (typeof problem.title === "string" && problem.title) return problem.title;
  } catch {
    // not a problem document: the status has to do
  }
  return `The server answered ${response.status} ${response.statusText}`.trim() + ".";
}

/** @param {string} path @param {AbortSignal} [signal] @returns {Promise<any>} */
export async function get(path, signal) {
  return (await request(path, { signal })).json();
}

/** @param {string} path @param {Object} body @param {AbortSignal} [signal] @returns {Promise<any>} */
export async function post(path, body, signal) {
  const response = await request(path, {
    method: "POST",
    signal,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.json();
}

/**
 * Numbers as a typed array, one entry per row.
 * @param {string} path @param {string} dtype @param {AbortSignal} [signal]
 */
export async function array(path, dtype, signal) {
  const bytes = await (await request(path, { signal })).arrayBuffer();
  const Kind = ARRAYS[dtype];
  if (!Kind) throw new ServerError(`The server sent numbers of type ${dtype}, which this page does not read.`, 0);
  return new Kind(bytes);
}

/** A file of the server. @param {string} path @returns {Promise<Blob>} */
export async function blob(path) {
  return (await request(path)).blob();
}

/**
 * Show a picture of the server; with a token it is fetched, because an image sends no headers.
 * @param {HTMLImageElement} image @param {string} path
 */
export async function showImage(image, path) {
  if (!access.token) {
    image.src = `/explore/${path}`;
    return;
  }
  const picture = await blob(path).catch(() => null);
  if (!picture) return;
  const address = URL.createObjectURL(picture);
  image.addEventListener("load", () => URL.revokeObjectURL(address), { once: true });
  image.src = address;
}

/** Save a file of the server. @param {string} path @param {string} name @param {Object} [body] is posted */
export async function download(path, name, body) {
  const headers = { "Content-Type": "application/json" };
  const options = body ? { method: "POST", headers, body: JSON.stringify(body) } : undefined;
  const address = URL.createObjectURL(await (await request(path, options)).blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** @param {string} id part of a path */
export const part = encodeURIComponent;

/**
 * Run only the latest of several requests: an earlier one is aborted.
 * @template T
 * @param {(signal: AbortSignal, ...args: any[]) => Promise<T>} run
 * @returns {(...args: any[]) => Promise<T|undefined>} undefined when a later call overtook it
 */
export function latest(run) {
  let controller = null;
  return async (...args) => {
    controller?.abort();
    const mine = new AbortController();
    controller = mine;
    try {
      const result = await run(mine.signal, ...args);
      return mine.signal.aborted ? undefined : result;
    } catch (error) {
      if (mine.signal.aborted) return undefined;
      throw error;
    }
  };
}

/** @param {Uint8Array} bytes */
export function toBase64(bytes) {
  let text = "";
  for (let start = 0; start < bytes.length; start += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  }
  return btoa(text);
}

/** @param {string} text @returns {Uint8Array} */
export function fromBase64(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** Rows as a bitmask in base64: row i is bit i & 7 of byte i >> 3. @param {number[]} rows @param {number} nRows */
export function maskOf(rows, nRows) {
  const bits = new Uint8Array(Math.ceil(nRows / 8));
  for (const row of rows) bits[row >> 3] |= 1 << (row & 7);
  return toBase64(bits);
}

/** The rows of a bitmask in base64. @param {string} mask @returns {number[]} */
export function rowsOf(mask) {
  const bits = fromBase64(mask);
  const rows = [];
  for (let i = 0; i < bits.length * 8; i += 1) if ((bits[i >> 3] >> (i & 7)) & 1) rows.push(i);
  return rows;
}
