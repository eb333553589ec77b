import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { CreateEndpointBody, Endpoint } from '../../src/contract/endpoint.ts';
import { ENDPOINT_ID_PLACEHOLDER } from '../../src/contract/route.ts';
import { eventually, type Api } from '../platform/support.ts';

/* Callers of a load-balanced endpoint whose platform is upgraded. */

const CALLERS = 4;
/** Number of requests before and after an upgrade. */
const CALLS = 50;
/** A request that is in progress while the platform stops. */
const SLOW_MS = 1_000;
/** Pause before a request is repeated, in ms. */
const RETRY_MS = 20;

/** Script of a worker that counts the requests since its start, which takes LOAD_MS ms. */
export const COUNTING_SERVER = `
  let asked = 0;
  const server = require('node:http').createServer((request, response) => {
    if (request.url === '/ping') return response.end();
    const answer = 'request ' + ++asked;
    if (request.url === '/slow') setTimeout(() => response.end(answer), ${SLOW_MS});
    else response.end(answer);
  });
  setTimeout(() => server.listen(process.env.PORT), Number(process.env.LOAD_MS ?? 0));
`;

/** Endpoint of such a worker, without its image. */
export const COUNTING_ENDPOINT: Partial<CreateEndpointBody> = {
  ...{ type: 'LOAD_BALANCER', scaling: { type: 'REQUEST_COUNT', requestCount: 10 } },
};

/** Sends a request to a load-balanced endpoint on a connection of its own. Resolves with the text of the response. */
export async function ask(api: Api, { id }: Endpoint, path = '/'): Promise<string> {
  const { endpointHost, apiKey } = api.addresses;
  const url = endpointHost.replace(ENDPOINT_ID_PLACEHOLDER, id) + path;
  const request = get(url, { agent: false, headers: { Authorization: `Bearer ${apiKey}` } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const body = await text(response);
  assert.equal(response.statusCode, 200, body);
  return body;
}

/** Sends requests until `end`, and repeats each one until it is answered. @param send sends a request to COUNTING_SERVER */
export function startCallers(send: (path?: string) => Promise<string>) {
  const answers: string[] = [];
  const losses: string[] = [];
  let isOver = false;
  const callers = Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (!isOver) {
        try {
          answers.push(await send());
        } catch (error) {
          losses.push(codeOf(error));
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        }
      }
    }),
  );
  return {
    /** Resolves once more requests are answered. */
    areAnswered: async (): Promise<void> => {
      const before = answers.length;
      await eventually('requests are answered', () => answers.length >= before + CALLS, 120_000);
    },
    /** Sends a request that takes a while, once. It counts as the others. Resolves once it is answered. */
    askSlowly: async (): Promise<void> => void answers.push(await send('/slow')),
    /** Asserts that one process has answered each request once, and that callers have noticed nothing but lost connections. */
    end: async () => {
      isOver = true;
      await callers;
      const codes = [...new Set(losses)];
      assert.deepEqual(
        codes.filter((code) => code !== 'ECONNRESET'),
        ['ECONNREFUSED'],
      );
      const counts = answers.map((answer) => Number(answer.replace('request ', '')));
      assert.deepEqual(
        counts.toSorted((left, right) => left - right),
        answers.map((_, index) => index + 1),
        'one process has answered each request once',
      );
      return { requests: answers.length, 'refused connections': losses.length };
    },
  };
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);
