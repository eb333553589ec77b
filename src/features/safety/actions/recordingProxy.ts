import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { URL } from 'node:url';
import type { SafetyPart, StubReply } from '../../../contract/safety.ts';
import type { Call } from '../model/effects.ts';

type HttpEdges = NonNullable<SafetyPart['http']>;

/** A server that a worker called and that did not respond. */
export interface UnreachableServer {
  /** Variable of the edge, or the host of a call through the proxy. */
  readonly name: string;
  readonly code: string;
}

export interface RecordingOptions {
  readonly edges: HttpEdges;
  /** Host and port of the platform. Its own traffic is passed on and not recorded. */
  readonly platform: string;
  /** Called after the reply to a call has arrived and before the worker receives it. Numbers count calls that change something, from 1. */
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

/** Where a call goes, and how it is named in results. */
interface Target {
  readonly name: string;
  /** Undefined: the edge replies itself. */
  readonly url: URL | undefined;
  readonly reply?: StubReply;
  readonly path: string;
}

/** Records the HTTP calls of a worker: to the edges, each of which has an address of its own, and through `HTTP_PROXY`. */
export class RecordingProxy {
  /** Calls that change something, in the order in which they arrived. */
  readonly calls: Call[] = [];
  /** Hosts of encrypted connections through the proxy, whose calls cannot be seen. */
  readonly tunnels = new Set<string>();
  readonly unreachable: UnreachableServer[] = [];
  readonly #options: RecordingOptions;
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Duplex>();
  readonly #addresses = new Map<string, string>();
  #variables: Record<string, string> = {};
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

  /** Environment variables of the worker. */
  get variables(): Readonly<Record<string, string>> {
    return this.#variables;
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
    const direct = [this.#options.platform];
    for (const [name, edge] of Object.entries(this.#options.edges)) {
      const url = typeof edge === 'string' ? new URL(edge) : undefined;
      const server = createServer((incoming, response) => {
        const path = incoming.url ?? '/';
        const target: Target = {
          ...{ name, path },
          ...(typeof edge === 'string' ? { url: new URL(path, url) } : { url: undefined, reply: edge.reply }),
        };
        void this.#serve(incoming, response, target);
      });
      const authority = await this.#listen(server);
      direct.push(authority);
      const address = `http://${authority}`;
      this.#addresses.set(address, url?.origin ?? name);
      this.#variables[name] = address + (url ? url.pathname.replace(/\/$/, '') : '');
    }
    const proxy = `http://${await this.#listen(this.#forwardProxy(direct))}`;
    this.#tunneledPort = Number((await this.#listen(this.#tunneled)).split(':')[1]);
    for (const variable of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy'])
      this.#variables[variable] = proxy;
    for (const variable of ['NO_PROXY', 'no_proxy']) this.#variables[variable] = direct.join(',');
    // fetch of Node.js uses the proxy only with this variable.
    this.#variables['NODE_USE_ENV_PROXY'] = '1';
  }

  async #listen(server: Server): Promise<string> {
    this.#servers.push(server);
    server.on('connection', (socket: Socket) => this.#track(socket));
    // A worker can be idle for long, and its connection must not end in between.
    server.requestTimeout = 0;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, LOOPBACK, resolve);
    });
    return `${LOOPBACK}:${(server.address() as AddressInfo).port}`;
  }

  #track<Connection extends Duplex>(socket: Connection): Connection {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // Workers are killed, so their connections break.
    socket.on('error', () => undefined);
    return socket;
  }

  #forwardProxy(direct: readonly string[]): Server {
    const serve = (incoming: IncomingMessage, response: ServerResponse, base: string | undefined): void => {
      let url: URL;
      try {
        url = new URL(incoming.url ?? '/', base);
      } catch {
        response.writeHead(400).end();
        return;
      }
      if (direct.includes(url.host)) passOn(incoming, response, url);
      else void this.#serve(incoming, response, { name: url.host, url, path: url.href });
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

  /** Connects to the host of an encrypted connection. Undefined if it has no valid name. */
  #encrypted(host: string): Socket | undefined {
    if (!URL.canParse(`https://${host}`)) return undefined;
    this.tunnels.add(host);
    const { hostname, port } = new URL(`https://${host}`);
    const upstream = this.#track(connect(Number(port === '' ? 443 : port), hostname));
    upstream.once('error', (error: NodeJS.ErrnoException) =>
      this.unreachable.push({ name: host, code: error.code ?? error.message }),
    );
    return upstream;
  }

  /** Connects to the server that records the calls of tunnels. */
  #inTunnel(host: string): Socket {
    const upstream = this.#track(connect(this.#tunneledPort, LOOPBACK));
    upstream.once('connect', () => this.#tunnelHosts.set(upstream.localPort ?? 0, host));
    return upstream;
  }

  /** Records a call, forwards it or replies itself, and passes the reply on. */
  async #serve(incoming: IncomingMessage, response: ServerResponse, target: Target): Promise<void> {
    try {
      const body = await buffer(incoming);
      const { method = 'GET' } = incoming;
      const recorded = SAFE_METHODS.has(method) ? undefined : this.#record(incoming, target.path, body);
      const reply = await this.#reply(incoming, target, body);
      if (recorded) await this.#options.onReplied(recorded.number, recorded.call);
      response.writeHead(reply.status, reply.headers).end(reply.body);
    } catch {
      // The worker was killed, or the check ended.
      response.destroy();
    }
  }

  #record(incoming: IncomingMessage, path: string, body: Buffer): { readonly number: number; readonly call: Call } {
    const key = incoming.headers['idempotency-key'];
    const call = { method: incoming.method ?? '', path, body: body.toString(), key: key?.toString() };
    return { call, number: this.calls.push(call) };
  }

  async #reply({ method, headers }: IncomingMessage, { name, url, reply }: Target, body: Buffer): Promise<Reply> {
    if (!url) return stubbed(reply ?? {});
    try {
      return await forwarded(url, { method, headers: withoutHops(headers) }, body);
    } catch (error) {
      this.unreachable.push({ name, code: (error as NodeJS.ErrnoException).code ?? (error as Error).message });
      return { status: 502, headers: {}, body: Buffer.from(`${name} cannot be reached`) };
    }
  }
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
  options: { readonly method: string | undefined; readonly headers: NodeJS.Dict<string | string[]> },
  body: Buffer,
): Promise<Reply> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = send(url, {
      method: options.method,
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
