import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { Event, Pod, PodList, Secret, SecretList } from 'kubernetes-types/core/v1.js';
import type { Clock } from '../../time/clock.ts';
import {
  EngineApi,
  EngineError,
  type EngineRequest,
  type EngineConnection,
} from '../../../machine/engine/engineApi.ts';
import type { ClusterAccess } from './access/clusterAccess.ts';
import { isRefused } from './podFailure.ts';

/** Limit for a response that is not a stream, in ms. */
const TIMEOUT_MS = 20_000;
const UNAUTHORIZED = 401;
const NOT_FOUND = 404;
const GONE = 410;

/** A line of a watch. */
type Watched<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: T }
  | { readonly type: 'ERROR'; readonly object: { readonly code?: number; readonly message?: string } };

type PodEvent = Watched<Pod>;

interface LogQuery {
  readonly container: string;
  readonly follow: boolean;
  /** In RFC 3339. The cluster rounds it down to seconds, and sends the lines from there. */
  readonly sinceTime: string | undefined;
}

/** The requests of the runtime. They concern pods, their events, and secrets of one namespace. */
export class KubernetesApi {
  readonly namespace: string;
  readonly #access: ClusterAccess;
  readonly #api: EngineApi;
  readonly #clock: Clock;

  /** @param clock waits in real time */
  constructor(access: ClusterAccess, clock: Clock) {
    this.#access = access;
    this.#api = new EngineApi(access.connection, clock);
    this.#clock = clock;
    this.namespace = access.namespace;
  }

  /** Address of the API, for messages. */
  get name(): string {
    return this.#access.connection.name;
  }

  get connection() {
    return this.#access.connection;
  }

  /** @throws EngineError; the signal's reason, and the pod may exist then */
  async createPod(pod: Pod, signal: AbortSignal): Promise<Pod> {
    return this.#json({ method: 'POST', path: this.#path('pods'), body: pod, signal });
  }

  async listPods(labelSelector: string, { signal, namespace }: Target = {}): Promise<PodList> {
    return this.#json({ path: this.#path('pods', undefined, namespace), query: { labelSelector }, signal });
  }

  /** Resolves once the cluster has answered, even with a refusal. @throws EngineError if it does not work; the signal's reason */
  async probe(signal: AbortSignal): Promise<void> {
    try {
      await this.#json({ path: this.#path('pods'), query: { limit: 1 }, signal });
    } catch (error) {
      if (!(error instanceof Error) || !isRefused(error)) throw error;
    }
  }

  /** Yields the changes of pods since a version, until the cluster ends the stream. */
  async *watchPods(
    labelSelector: string,
    resourceVersion: string,
    { seconds, signal }: { seconds: number; signal: AbortSignal },
  ): AsyncGenerator<PodEvent, void, undefined> {
    const query = {
      ...{ labelSelector, resourceVersion, watch: true, allowWatchBookmarks: true, timeoutSeconds: seconds },
    };
    yield* this.#api.lines<PodEvent>(this.#request({ path: this.#path('pods'), query, signal }));
  }

  /** Resolves once the stream has begun, with the events of the namespace, and the later ones until the cluster ends the stream. */
  async watchEvents(
    fieldSelector: string,
    { seconds, signal }: { seconds: number; signal: AbortSignal },
  ): Promise<AsyncGenerator<Watched<Partial<Event>>, void, undefined>> {
    const query = { fieldSelector, watch: true, timeoutSeconds: seconds };
    return this.#api.openLines(this.#request({ path: this.#path('events'), query, signal }));
  }

  /**
   * Asks the cluster to end a pod. Resolves with false if it does not exist. The pod remains until its node has confirmed the end.
   *
   * @param graceSeconds 0 removes the pod without a confirmation of its node
   */
  async deletePod(name: string, graceSeconds: number, target: Target = {}): Promise<boolean> {
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: graceSeconds };
    return this.#delete(this.#path('pods', name, target.namespace), body, target.signal);
  }

  /** Resolves with the log once its head has arrived. Each record begins with a timestamp. */
  async podLog(
    name: string,
    { container, follow, sinceTime }: LogQuery,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const query = { container, follow, sinceTime, timestamps: true };
    return this.#api.stream(this.#request({ path: `${this.#path('pods', name)}/log`, query, signal }));
  }

  /**
   * Opens the connection to a program in a container of a pod. Resolves once the cluster has accepted it.
   *
   * @throws EngineError; the signal's reason
   */
  async exec(name: string, query: ExecQuery, signal: AbortSignal | undefined): Promise<WebSocket> {
    const path = `${this.#access.pathPrefix}${this.#path('pods', name)}/exec`;
    const open = (): Promise<WebSocket> => openExec(this.connection, path, query, { clock: this.#clock, signal });
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof EngineError) || error.status !== UNAUTHORIZED) throw error;
      this.#access.renew();
      return open();
    }
  }

  async createSecret(secret: Secret, signal: AbortSignal): Promise<Secret> {
    return this.#json({ method: 'POST', path: this.#path('secrets'), body: secret, signal });
  }

  /** Makes a pod the owner of a secret, so that the cluster deletes the secret with the pod. */
  async giveSecret(name: string, owner: { name: string; uid: string }): Promise<void> {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', ...owner }];
    await this.#json({
      ...{ method: 'PATCH', path: this.#path('secrets', name), body: { metadata: { ownerReferences } } },
      headers: { 'Content-Type': 'application/merge-patch+json' },
    });
  }

  async listSecrets(labelSelector: string): Promise<SecretList> {
    return this.#json({ path: this.#path('secrets'), query: { labelSelector } });
  }

  async deleteSecret(name: string, target: Target = {}): Promise<boolean> {
    return this.#delete(this.#path('secrets', name, target.namespace), undefined, target.signal);
  }

  #path(resource: 'pods' | 'secrets' | 'events', name?: string, namespace = this.namespace): string {
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/${resource}`;
    return name === undefined ? path : `${path}/${encodeURIComponent(name)}`;
  }

  #request(request: EngineRequest): EngineRequest {
    return { ...request, path: this.#access.pathPrefix + request.path };
  }

  async #delete(path: string, body: unknown, signal: AbortSignal | undefined): Promise<boolean> {
    try {
      await this.#json({ method: 'DELETE', path, body, signal });
      return true;
    } catch (error) {
      if (error instanceof EngineError && error.status === NOT_FOUND) return false;
      throw error;
    }
  }

  /** Repeats a request once if the cluster did not accept the credentials, because a plugin may have new ones. */
  async #json<T>(request: EngineRequest): Promise<T> {
    const sent = this.#request({ timeoutMs: TIMEOUT_MS, ...request });
    try {
      return await this.#api.json<T>(sent);
    } catch (error) {
      if (!(error instanceof EngineError) || error.status !== UNAUTHORIZED) throw error;
      this.#access.renew();
      return this.#api.json<T>(sent);
    }
  }
}

/** Options of a request for one object. */
interface Target {
  readonly signal?: AbortSignal | undefined;
  /** Default: the namespace of the context. */
  readonly namespace?: string | undefined;
}

/** Whether the version of a watch is too old, so the pods must be listed again. */
export function isExpired(event: PodEvent): boolean {
  return event.type === 'ERROR' && event.object.code === GONE;
}

interface ExecQuery {
  readonly command: readonly string[];
  /** Name of the container. */
  readonly container: string;
  readonly tty: boolean;
  /** First choice first. */
  readonly protocols: readonly string[];
}

/** Limit for the answer of the cluster, in ms. */
const ANSWER_MS = 20_000;
/** Time without data after which the system probes the connection, in ms. */
const KEEP_ALIVE_MS = 15_000;
/** Maximum size of a message of a cluster, in bytes. Nodes send at most 32 KiB. */
const MAX_MESSAGE = 16 * 1_048_576;
/** Maximum length of the body of a refusal, in characters. */
const MAX_REFUSAL = 65_536;

/**
 * Opens the WebSocket of a program in a pod. Node's `http` would do for the connection, but not for the frames.
 *
 * @param path of the subresource
 * @param clock waits in real time
 * @throws EngineError; the signal's reason
 */
async function openExec(
  connection: EngineConnection,
  path: string,
  { command, container, tty, protocols }: ExecQuery,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal | undefined },
): Promise<WebSocket> {
  const { options, tls, name } = connection;
  const query = new URLSearchParams({
    container,
    stdin: 'true',
    stdout: 'true',
    stderr: String(!tty),
    tty: String(tty),
  });
  for (const part of command) query.append('command', part);
  const { host = '', port } = options;
  const authority = `${host?.includes(':') ? `[${host}]` : host}:${port}`;
  const [headers, certificate] = [await connection.headers?.(), await connection.certificate?.()];
  const { WebSocket: Socket, keepAlive } = await import('../../http/webSocket.ts');
  signal?.throwIfAborted();
  const socket = new Socket(`${tls ? 'wss' : 'ws'}://${authority}${path}?${query.toString()}`, [...protocols], {
    ...{ ...options, ...certificate, headers: { ...headers } },
    ...{ followRedirects: false, perMessageDeflate: false, maxPayload: MAX_MESSAGE, handshakeTimeout: ANSWER_MS },
  });
  const opened = Promise.withResolvers<WebSocket>();
  const abort = (): void => socket.terminate();
  signal?.addEventListener('abort', abort, { once: true });
  socket.on('upgrade', (answer) => void answer.socket.setKeepAlive(true, KEEP_ALIVE_MS));
  // Messages can arrive with the answer.
  socket.on('open', () => {
    socket.pause();
    keepAlive(socket, clock);
    opened.resolve(socket);
  });
  socket.on('unexpected-response', (_, answer) => {
    void refusalOf(answer, name).then((error) => {
      opened.reject(error);
      socket.terminate();
    });
  });
  socket.on('error', (cause: NodeJS.ErrnoException) => {
    const { code, message } = cause;
    opened.reject(
      signal?.aborted ? signal.reason : new EngineError(`${name} does not respond: ${message}`, { code, cause }),
    );
  });
  try {
    return await opened.promise;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

async function refusalOf(answer: IncomingMessage, name: string): Promise<EngineError> {
  const { statusCode: status = 0 } = answer;
  let text = '';
  try {
    for await (const chunk of answer.setEncoding('utf8') as AsyncIterable<string>) {
      text += chunk;
      if (text.length > MAX_REFUSAL) break;
    }
  } catch {
    // The status is enough.
  }
  return new EngineError(messageIn(text) ?? `${name} responded with status ${status}`, { status, body: text });
}

/** Returns the message of the cluster's error. */
function messageIn(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message : undefined;
  } catch {
    return text.trim() === '' ? undefined : text.trim();
  }
}
