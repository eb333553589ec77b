import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, type AddressInfo, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { URL } from 'node:url';
import { WORKER_PATH } from '../../../contract/launch/localPlatform.ts';
import type { SafetyPart, StubReply } from '../../../contract/safety.ts';
import type { Call } from '../model/effects.ts';
import { beyondThisMachine } from './beyondThisMachine.ts';

type HttpEdges = NonNullable<SafetyPart['http']>;

/** A server that a worker called and that did not respond. */
export interface UnreachableServer {
  /** Variable of the edge, or the host of a call through the proxy. */
  readonly name: string;
  readonly code: string;
}

export interface RecordingOptions {
  readonly edges: HttpEdges;
  /** Name of this machine in containers. Undefined: the workers are processes of this machine. */
  readonly containerHost: string | undefined;
}

/** The calls of the workers of one run. */
export interface Recording {
  /** Calls that change something, in the order in which they arrived. */
  readonly calls: Call[];
  /** Hosts of encrypted connections through the proxy, whose calls cannot be seen. */
  readonly tunnels: Set<string>;
  readonly unreachable: UnreachableServer[];
  /** Returns the ID of their endpoint. Undefined: it is being created. */
  readonly endpointId: () => string | undefined;
  /**
   * Called before a call is recorded and forwarded. Resolves with true if its worker was killed, so that the call never arrives. Numbers count
   * calls that change something, from 1.
   */
  readonly isStopped: (number: number) => Promise<boolean>;
  /** Called after the reply to a call has arrived and before the worker receives it. */
  readonly onReplied: (number: number, call: Call) => Promise<void>;
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);
/** Headers that belong to a connection. */
const HOP_BY_HOP = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'host', 'content-length'],
]);
/** First byte of a TLS connection. */
const TLS_HANDSHAKE = 0x16;
const LOOPBACK = '127.0.0.1';
/** Largest body that is kept, in bytes. */
const MAX_BODY = 1_048_576;

/** Where a call goes, and how it is named in results. */
interface Target {
  readonly name: string;
  /** Undefined: the edge replies itself. */
  readonly url: URL | undefined;
  readonly reply?: StubReply;
  readonly path: string;
  /** Whether it is an edge of the manifest. */
  readonly isNamed: boolean;
}

/** Records the HTTP calls of workers: to the edges, each of which has an address of its own, and through `HTTP_PROXY`. */
export class RecordingProxy {
  readonly #options: RecordingOptions;
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Duplex>();
  readonly #addresses = new Map<string, string>();
  #variables: Record<string, string> = {};
  /** Hosts and ports of the edges in the environment of the worker. */
  #own: readonly string[] = [];
  /** Host and port of the platform. */
  #platform = '';
  #recording: Recording | undefined;
  /** Records unencrypted calls in tunnels. */
  #tunneled = createServer();
  #tunneledPort = 0;
  /** Hosts of tunnels by the port of their connection to `#tunneled`. */
  readonly #tunnelHosts = new Map<number, string>();

  private constructor(options: RecordingOptions) {
    this.#options = options;
  }

  /** Starts listening on addresses of this machine. */
  static async start(options: RecordingOptions): Promise<RecordingProxy> {
    const recording = new RecordingProxy(options);
    await recording.#start();
    return recording;
  }

  /** Ports of the loopback interface that the workers must reach. */
  get ports(): readonly number[] {
    return this.#servers.flatMap((server) => (server === this.#tunneled ? [] : (server.address() as AddressInfo).port));
  }

  /**
   * Returns the environment variables of the workers.
   *
   * @param platform host and port of their platform, whose traffic is passed on and not recorded
   */
  variablesFor(platform: string): Readonly<Record<string, string>> {
    this.#platform = platform;
    const direct =
      this.#options.containerHost === undefined
        ? [platform, ...this.#own]
        : [this.#options.containerHost, 'localhost', LOOPBACK, '::1'];
    return { ...this.#variables, NO_PROXY: direct.join(','), no_proxy: direct.join(',') };
  }

  /** Records the calls of the next run. Calls without a recording fail. */
  record(recording: Recording | undefined): void {
    this.#recording = recording;
  }

  /** Addresses that the worker receives, with the names of their edges. */
  get addresses(): ReadonlyMap<string, string> {
    return this.#addresses;
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(
      this.#servers.map((server) => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(resolve));
      }),
    );
  }

  async #start(): Promise<void> {
    const { edges, containerHost: host = LOOPBACK } = this.#options;
    const own: string[] = [];
    for (const [name, edge] of Object.entries(edges)) {
      const url = typeof edge === 'string' ? new URL(edge) : undefined;
      const server = createServer((incoming, response) => {
        const path = incoming.url ?? '/';
        const target: Target = {
          ...{ name, path, isNamed: true },
          ...(typeof edge === 'string' ? { url: new URL(path, url) } : { url: undefined, reply: edge.reply }),
        };
        void this.#serve(incoming, response, target);
      });
      const authority = `${host}:${await this.#listen(server)}`;
      own.push(authority);
      const address = `http://${authority}`;
      this.#addresses.set(address, url?.origin ?? name);
      this.#variables[name] = address + (url ? url.pathname.replace(/\/$/, '') : '');
    }
    this.#own = own;
    const proxy = `http://${host}:${await this.#listen(this.#forwardProxy())}`;
    this.#tunneledPort = await this.#listen(this.#tunneled);
    for (const variable of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy'])
      this.#variables[variable] = proxy;
    // fetch of Node.js uses the proxy only with this variable.
    this.#variables['NODE_USE_ENV_PROXY'] = '1';
  }

  /** Listens on the loopback interface. Returns the port. */
  async #listen(server: Server): Promise<number> {
    this.#servers.push(server);
    server.on('connection', (socket: Socket) => this.#track(socket));
    // A worker can be idle for long, and its connection must not end in between.
    server.requestTimeout = 0;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, LOOPBACK, resolve);
    });
    return (server.address() as AddressInfo).port;
  }

  #track<Connection extends Duplex>(socket: Connection): Connection {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // Workers are killed, so their connections break.
    socket.on('error', () => undefined);
    return socket;
  }

  #forwardProxy(): Server {
    const serve = (incoming: IncomingMessage, response: ServerResponse, base: string | undefined): void => {
      let url: URL;
      try {
        url = new URL(incoming.url ?? '/', base);
      } catch {
        response.writeHead(400).end();
        return;
      }
      if (this.#isPlatform(url) || this.#own.includes(url.host)) passOn(incoming, response, this.#localUrl(url));
      else void this.#serve(incoming, response, { name: url.host, url, path: url.href, isNamed: false });
    };
    const server = createServer((incoming, response) => serve(incoming, response, undefined));
    server.on('connect', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
      const host = incoming.url ?? '';
      this.#track(socket);
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      const begin = (first: Buffer): void => {
        // Some clients open a tunnel for unencrypted calls, too.
        const upstream = first[0] === TLS_HANDSHAKE ? this.#encrypted(host) : this.#inTunnel(host);
        if (!upstream) {
          socket.destroy();
          return;
        }
        upstream.once('error', () => socket.destroy());
        upstream.once('close', () => socket.destroy());
        socket.once('close', () => upstream.destroy());
        upstream.write(first);
        socket.pipe(upstream).pipe(socket);
      };
      if (head.length > 0) begin(head);
      else socket.once('data', begin);
    });
    this.#tunneled = createServer((incoming, response) =>
      serve(incoming, response, `http://${this.#tunnelHosts.get(incoming.socket.remotePort ?? 0) ?? ''}`),
    );
    return server;
  }

  /** Containers reach the platform at an address that is not known here. */
  #isPlatform({ host, pathname }: URL): boolean {
    if (this.#options.containerHost === undefined) return host === this.#platform;
    const id = this.#recording?.endpointId();
    return pathname.startsWith(id === undefined ? `${WORKER_PATH}/` : `${WORKER_PATH}/${id}/`);
  }

  /** Returns the address on this machine of a URL with the name that it has in containers. */
  #localUrl(url: URL): URL {
    const local = new URL(url);
    if (local.hostname === this.#options.containerHost) local.hostname = LOOPBACK;
    return local;
  }

  /** Connects to the host of an encrypted connection. Undefined if it has no valid name. */
  #encrypted(host: string): Socket | undefined {
    const recording = this.#recording;
    if (!recording || !URL.canParse(`https://${host}`)) return undefined;
    recording.tunnels.add(host);
    const { hostname, port } = new URL(`https://${host}`);
    const isUnreachable = (error: NodeJS.ErrnoException): void =>
      void recording.unreachable.push({ name: host, code: error.code ?? error.message });
    try {
      const address = { host: hostname, port: Number(port === '' ? 443 : port), ...this.#connectionTo(hostname) };
      return this.#track(connect(address)).once('error', isUnreachable);
    } catch (error) {
      isUnreachable(error as NodeJS.ErrnoException);
      return undefined;
    }
  }

  /** Connects to the server that records the calls of tunnels. */
  #inTunnel(host: string): Socket {
    const upstream = this.#track(connect(this.#tunneledPort, LOOPBACK));
    upstream.once('connect', () => this.#tunnelHosts.set(upstream.localPort ?? 0, host));
    return upstream;
  }

  /** Returns options of a connection of a worker. @throws Error with the code `EACCES` */
  #connectionTo(hostname: string): { readonly lookup?: LookupFunction } {
    return this.#options.containerHost === undefined ? {} : beyondThisMachine(hostname);
  }

  /** Records a call, forwards it or replies itself, and passes the reply on. */
  async #serve(incoming: IncomingMessage, response: ServerResponse, target: Target): Promise<void> {
    try {
      const recording = this.#recording;
      if (!recording) throw new Error('the run has ended');
      const body = await buffer(incoming);
      const isEffect = !SAFE_METHODS.has(incoming.method ?? 'GET');
      if (isEffect && (await recording.isStopped(recording.calls.length + 1))) throw new Error('the worker was killed');
      const recorded = isEffect && added(recording, incoming, { path: target.path, body });
      const reply = await this.#reply(recording, incoming, target, body);
      if (recorded) await recording.onReplied(recorded.number, recorded.call);
      response.writeHead(reply.status, reply.headers).end(reply.body);
    } catch {
      // The worker was killed, or the check ended.
      response.destroy();
    }
  }

  async #reply(
    { unreachable }: Recording,
    { method, headers }: IncomingMessage,
    { name, url, reply, isNamed }: Target,
    body: Buffer,
  ): Promise<Reply> {
    if (!url) return stubbed(reply ?? {});
    try {
      const options = isNamed ? {} : this.#connectionTo(url.hostname);
      return await forwarded(url, { method, headers: withoutHops(headers), ...options }, body);
    } catch (error) {
      unreachable.push({ name, code: (error as NodeJS.ErrnoException).code ?? (error as Error).message });
      return { status: 502, headers: {}, body: Buffer.from(`${name} cannot be reached`) };
    }
  }
}

/** Adds a call to the recording. Returns it with its number. */
function added(
  { calls }: Recording,
  { headers, method = '' }: IncomingMessage,
  { path, body }: { readonly path: string; readonly body: Buffer },
): { readonly number: number; readonly call: Call } {
  const call = { method, path, body: textOf(body), key: headers['idempotency-key']?.toString() };
  return { call, number: calls.push(call) };
}

/** Returns a text that no other body has. Only the hash of a large body is kept, in which IDs of the run are not recognized. */
function textOf(body: Buffer): string {
  if (body.length > MAX_BODY) return createHash('sha256').update(body).digest('hex');
  return body.toString(isUtf8(body) ? 'utf8' : 'latin1');
}

interface Reply {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

function stubbed({ status = 200, body }: StubReply): Reply {
  if (body === undefined) return { status, headers: {}, body: Buffer.alloc(0) };
  const isText = typeof body === 'string';
  const headers = { 'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json' };
  return { status, headers, body: Buffer.from(isText ? body : JSON.stringify(body)) };
}

function forwarded(
  url: URL,
  options: {
    readonly method: string | undefined;
    readonly headers: NodeJS.Dict<string | string[]>;
    readonly lookup?: LookupFunction;
  },
  body: Buffer,
): Promise<Reply> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = send(url, {
      ...options,
      headers: { ...options.headers, ...(body.length > 0 && { 'content-length': body.length }) },
      agent: false,
    });
    outgoing.once('error', reject);
    outgoing.once('response', (response) => {
      buffer(response).then(
        (bytes) => resolve({ status: response.statusCode ?? 502, headers: withoutHops(response.headers), body: bytes }),
        reject,
      );
    });
    outgoing.end(body);
  });
}

function withoutHops(headers: NodeJS.Dict<string | string[]>): NodeJS.Dict<string | string[]> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)));
}

/** Passes a request on without a record, and ends it together with its sender. */
function passOn(incoming: IncomingMessage, response: ServerResponse, url: URL): void {
  const { method, headers } = incoming;
  const outgoing = httpRequest(url, { method, headers, agent: false });
  outgoing.once('error', () => response.destroy());
  outgoing.once('response', (reply) => {
    response.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(response);
  });
  response.once('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}
