import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CorsGateway {
  /** Address without a trailing slash. */
  readonly url: string;
  /** Allows requests of the origins at and below this host name, such as `localhost:3000`. */
  allow(host: string): void;
  /** Sets the platform that receives the requests. */
  forwardTo(platform: string): void;
  close(): Promise<void>;
}

/**
 * Starts a gateway in front of a platform, which stands in for a hosted service that allows requests of the editor's origin. The local
 * platform allows none. Like the public origins of VS Code, the test's origins are subdomains of one host.
 */
export async function startCorsGateway(): Promise<CorsGateway> {
  let platform: string | undefined;
  let host: string | undefined;
  const isAllowed = (origin: string): boolean => {
    const url = URL.parse(origin);
    return url !== null && host !== undefined && (url.host === host || url.host.endsWith(`.${host}`));
  };
  const server = createServer((incoming, response) => {
    const { origin = '' } = incoming.headers;
    if (isAllowed(origin)) {
      response.setHeader('Access-Control-Allow-Origin', origin);
      response.setHeader('Access-Control-Expose-Headers', '*');
      response.setHeader('Vary', 'Origin');
    }
    if (incoming.method === 'OPTIONS') answerPreflight(incoming, response);
    else if (platform === undefined) response.writeHead(503).end();
    else forward(incoming, response, platform);
  });
  server.listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    allow: (allowed) => (host = allowed),
    forwardTo: (address) => (platform = address),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function answerPreflight({ headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Methods', 'GET, POST, PUT, PATCH, DELETE');
  response.setHeader('Access-Control-Allow-Headers', headers['access-control-request-headers'] ?? '');
  // Chromium asks before a page reaches a private network.
  response.setHeader('Access-Control-Allow-Private-Network', 'true');
  response.writeHead(204).end();
}

function forward(incoming: IncomingMessage, response: ServerResponse, platform: string): void {
  const { method, headers, url = '/' } = incoming;
  // The local platform refuses requests of other origins.
  const { origin, host, ...others } = headers;
  const outgoing = request(`${platform}${url}`, { method, headers: others }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  response.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}
