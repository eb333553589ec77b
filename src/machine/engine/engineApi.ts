import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { addAbortSignal, type Duplex } from 'node:stream';

/** Connection to the HTTP API of a container engine or a cluster. */
export interface EngineConnection {
  /** For messages, such as `unix:///var/run/docker.sock`. Contains no secrets. */
  readonly name: string;
  readonly tls: boolean;
  /** Members for Node's `request`: `socketPath`, or `host` and `port`, and for TLS the certificates. */
  readonly options: Pick<
    RequestOptions & { ca?: string; cert?: string; key?: string; rejectUnauthorized?: boolean; servername?: string },
    'socketPath' | 'host' | 'port' | 'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'servername'
  >;
  /** Opens a connection of its own for each request, such as one through a program; omitted for sockets. */
  readonly connect?: (() => Duplex) | undefined;
  /** Headers of every request, such as a bearer token. Called for each request, because a token can expire. */
  readonly headers?: (() => Promise<Readonly<Record<string, string>>>) | undefined;
  /** Client certificate of every request, instead of the one in `options`. Called for each request, because a certificate can expire. */
  readonly certificate?: (() => Promise<ClientCertificate | undefined>) | undefined;
}

/** In PEM format. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface EngineRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with its version prefix. */
  readonly path: string;
  /** Undefined values are omitted. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON; a Buffer or stream is sent as it is, with the content type of `headers`. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Limit in ms for the whole response of `json`, by default 120 s. Limit for the head of a stream, by default none. */
  readonly timeoutMs?: number | undefined;
}

/** Calls back once after a time in ms. Returns a function that cancels the callback. */
export interface EngineTimer {
  after(ms: number, callback: () => void): () => void;
}

const realTimer: EngineTimer = {
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** A response with an error status, or a request that the engine did not answer. */
export class EngineError extends Error {
  /** Omitted if there was no response. */
  readonly status: number | undefined;
  /** The system's error code, such as `ECONNREFUSED`; omitted if there was a response. */
  readonly code: string | undefined;
  /** The body of the response: a parsed JSON value, or text. */
  readonly body: unknown;

  constructor(message: string, from: { status?: number; code?: string | undefined; body?: unknown; cause?: unknown }) {
    super(message, { cause: from.cause });
    this.name = 'EngineError';
    this.status = from.status;
    this.code = from.code;
    this.body = from.body;
  }

  /** Whether the engine did not answer, so the request can be repeated once it is back. */
  get unreachable(): boolean {
    return this.status === undefined;
  }
}

/** Maximum size of a response that is read as a whole, in characters. */
const MAX_BODY_LENGTH = 64 * 1_048_576;

const SWITCHED = 101;

/** Limit of a response that is read as a whole, in ms. A busy engine takes seconds. */
const TIMEOUT_MS = 120_000;
/** Limit of the body of an error, in ms. */
const ERROR_BODY_MS = 20_000;
/** Time without data after which the system probes a connection, in ms. It gives up after 10 s without an answer to the probes. */
const KEEP_ALIVE_MS = 15_000;

/** A thin client of an engine's HTTP API: JSON, streams of JSON lines, and raw streams. */
export class EngineApi {
  readonly connection: EngineConnection;
  readonly #timer: EngineTimer;

  /** @param timer waits in real time */
  constructor(connection: EngineConnection, timer: EngineTimer = realTimer) {
    this.connection = connection;
    this.#timer = timer;
  }

  /**
   * Resolves with the parsed response, or undefined if it has no body. An engine that does not answer in time, or stops in the middle of its
   * answer, is unreachable.
   *
   * @throws EngineError; the signal's reason
   */
  async json<T>(request: EngineRequest): Promise<T> {
    const text = await this.#within(request.timeoutMs ?? TIMEOUT_MS, request.signal, async (signal) =>
      textOf(await this.stream({ ...request, timeoutMs: undefined, signal }), signal),
    );
    try {
      return (text === '' ? undefined : JSON.parse(text)) as T;
    } catch (cause) {
      throw new EngineError(`${this.connection.name} sent a response that is not JSON`, { status: 200, cause });
    }
  }

  /** Yields the values of a stream of JSON lines until it ends. @throws EngineError; the signal's reason */
  async *lines<T>(request: EngineRequest): AsyncGenerator<T, void, undefined> {
    yield* await this.openLines<T>(request);
  }

  /** Like `lines`, but resolves once the head of the response has arrived, such as that of a stream of events. */
  async openLines<T>(request: EngineRequest): Promise<AsyncGenerator<T, void, undefined>> {
    return this.#linesOf<T>(await this.stream(request), request);
  }

  async *#linesOf<T>(response: IncomingMessage, request: EngineRequest): AsyncGenerator<T, void, undefined> {
    let rest = '';
    try {
      for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as T;
      }
      if (rest.trim() !== '') yield JSON.parse(rest) as T;
    } catch (error) {
      throw interrupted(error, this.connection, request.signal);
    } finally {
      response.destroy();
    }
  }

  /**
   * Resolves with the response once its head has arrived. The caller reads or destroys it.
   *
   * @throws EngineError for a status of 400 and above, and if the engine does not answer; the signal's reason
   */
  async stream(request: EngineRequest): Promise<IncomingMessage> {
    const { signal } = request;
    signal?.throwIfAborted();
    let response: IncomingMessage;
    try {
      response = await this.#send(request);
    } catch (error) {
      throw interrupted(error, this.connection, signal);
    }
    const { statusCode: status = 0 } = response;
    if (status < 400) return response;
    const text = await this.#within(ERROR_BODY_MS, signal, (both) => textOf(response, both));
    const body = parsed(text);
    throw new EngineError(messageIn(body) ?? `${this.connection.name} responded with status ${status}`, {
      status,
      body,
    });
  }

  /**
   * Resolves with the connection once the engine has switched it to a protocol. The caller destroys it.
   *
   * @throws EngineError for any other response, and if the engine does not answer; the signal's reason
   */
  async upgrade(request: EngineRequest, protocol: string): Promise<Duplex> {
    const headers = { ...request.headers, Connection: 'Upgrade', Upgrade: protocol };
    const response = await this.stream({ ...request, headers });
    // Node gives the socket away, and its response has no body.
    if (response.statusCode === SWITCHED) return response.socket;
    response.destroy();
    throw new EngineError(`${this.connection.name} does not switch to the protocol ${protocol}`, {
      ...(response.statusCode !== undefined && { status: response.statusCode }),
    });
  }

  /** Runs a request whose signal is aborted after a time. @throws EngineError then */
  async #within<T>(ms: number, signal: AbortSignal | undefined, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const late = new AbortController();
    const cancel = this.#timer.after(ms, () => late.abort(new TimeoutError(ms)));
    try {
      return await run(signal ? AbortSignal.any([signal, late.signal]) : late.signal);
    } catch (error) {
      throw error instanceof TimeoutError ? interrupted(error, this.connection, undefined) : error;
    } finally {
      cancel();
    }
  }

  async #send({ method = 'GET', path, query = {}, body, headers = {}, signal, timeoutMs }: EngineRequest) {
    const { options, connect, tls } = this.connection;
    const own = (await this.connection.headers?.()) ?? {};
    const certificate = await this.connection.certificate?.();
    const isJson = body !== undefined && !Buffer.isBuffer(body) && !isReadable(body);
    const text = isJson ? Buffer.from(JSON.stringify(body)) : body;
    const sent: RequestOptions = {
      ...options,
      ...certificate,
      ...(connect && { createConnection: connect }),
      method,
      path: path + queryOf(query),
      headers: {
        Host: options.socketPath === undefined && options.host ? hostHeader(options) : 'engine',
        ...own,
        ...(isJson && { 'Content-Type': 'application/json' }),
        ...(Buffer.isBuffer(text) && { 'Content-Length': text.length }),
        ...headers,
      },
      // Each stream has a connection of its own, and an idle connection to a restarted engine would fail the next request. Node ignores
      // createConnection if the agent is false.
      agent: connect ? undefined : false,
      signal,
    };
    return new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = (tls ? httpsRequest : httpRequest)(sent, resolve);
      outgoing.once('error', reject);
      outgoing.once('upgrade', (response, socket, head) => {
        if (head.length > 0) socket.unshift(head);
        resolve(response);
      });
      if (timeoutMs !== undefined) {
        const cancel = this.#timer.after(timeoutMs, () => outgoing.destroy(new TimeoutError(timeoutMs)));
        outgoing.once('response', cancel).once('upgrade', cancel).once('close', cancel);
      }
      // Otherwise, a stream would wait forever behind a connection that was dropped silently.
      outgoing.once('socket', (socket) => {
        if ('setKeepAlive' in socket) socket.setKeepAlive(true, KEEP_ALIVE_MS);
      });
      if (isReadable(text)) text.pipe(outgoing);
      else outgoing.end(text);
    });
  }
}

class TimeoutError extends Error {
  readonly code = 'ETIMEDOUT';

  constructor(timeoutMs: number) {
    super(`no response within ${timeoutMs} ms`);
  }
}

function hostHeader({ host, port }: RequestOptions): string {
  const name = host?.includes(':') ? `[${host}]` : (host ?? '');
  return port == null ? name : `${name}:${port}`;
}

function queryOf(query: NonNullable<EngineRequest['query']>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? '' : `?${given.toString()}`;
}

function isReadable(value: unknown): value is NodeJS.ReadableStream {
  return typeof value === 'object' && value !== null && 'pipe' in value;
}

async function textOf(response: IncomingMessage, signal: AbortSignal | undefined): Promise<string> {
  let text = '';
  if (signal) addAbortSignal(signal, response);
  try {
    for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
      text += chunk;
      if (text.length > MAX_BODY_LENGTH) throw new Error(`the response has more than ${MAX_BODY_LENGTH} characters`);
    }
  } catch (error) {
    throw interrupted(error, { name: 'the engine' }, signal);
  }
  return text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.trim();
  }
}

/** Returns the reason in the body of an error: Docker's and Podman's `message`, or Kubernetes' status. */
function messageIn(body: unknown): string | undefined {
  if (typeof body === 'string') return body === '' ? undefined : body;
  const { message, cause } = (body ?? {}) as { message?: unknown; cause?: unknown };
  const found = [message, cause].find((text) => typeof text === 'string' && text !== '');
  return found as string | undefined;
}

function interrupted(
  error: unknown,
  { name }: Pick<EngineConnection, 'name'>,
  signal: AbortSignal | undefined,
): unknown {
  if (signal?.aborted) return signal.reason;
  if (error instanceof EngineError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  return new EngineError(`${name} does not respond: ${message}`, { code, cause: error });
}
