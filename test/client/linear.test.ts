import { isWebPage, parseRetryAfter } from '../../src/client/apiError.ts';
import { errorOfAnswer } from '../../src/client/errorAnswer.ts';
import { withoutEndSlashes } from '../../src/client/connection.ts';
import { EndpointAddresses } from '../../src/client/endpointAddresses.ts';
import { networkCauseOf } from '../../src/client/networkCause.ts';
import { RateLimits } from '../../src/client/rateLimits.ts';
import { assertLinear, UP_TO_1_MIB } from '../support/growth.ts';

/* Worst-case responses of one mebibyte for each parser. */

const connection = {
  baseUrl: 'https://a',
  restUrl: 'https://a',
  queueUrl: 'https://a/v2',
  endpointHost: 'https://{endpoint_id}.a',
  apiKey: 'k',
};

function learned(url: string) {
  const addresses = new EndpointAddresses(connection);
  addresses.learn({ id: 'e', requestUrls: { base: url, status: url } } as never);
  return [addresses.routes('e'), addresses.find('getJobStatus', { endpointId: 'e', jobId: 'j' })];
}

const headers = (text: string) => new Headers({ RateLimit: text, 'RateLimit-Policy': text });

const parsers: Readonly<
  Record<string, { parse: (text: string) => unknown; worst: readonly [string, string, string][] }>
> = {
  'an error response': {
    parse: (text) => [errorOfAnswer('x', { status: 400, text }), isWebPage(text)],
    worst: [
      ['', '[', ''],
      ['', ' ', 'x'],
      ['', '{"error":', ''],
      ['{"errors":["', '$.a', '"]}'],
      ['', '<', ''],
    ],
  },
  'Retry-After': {
    parse: (text) => parseRetryAfter(text, 0),
    worst: [
      ['', '1', 'x'],
      ['', '1 ', ''],
      ['', '(', ''],
    ],
  },
  'the rate limits': {
    parse: (text) => new RateLimits().read(headers(text), 0),
    worst: [
      ['', '"a";q=1,', '"b"'],
      ['"', 'a', ''],
      ['', '(', ''],
      ['a', ';a', ''],
      ['', ' ', 'a'],
      ['"', '\\"', ''],
      ['', ':a', ''],
    ],
  },
  'an address of an endpoint': {
    parse: learned,
    worst: [
      ['https://e.a', '/', 'x'],
      ['https://e.a/{job_id}', '/', 'x'],
      ['https://e.a', '/..', ''],
      ['', ' ', 'x'],
    ],
  },
  'trailing slashes': {
    parse: withoutEndSlashes,
    worst: [
      ['a', '/', ''],
      ['a', '/', 'x'],
    ],
  },
  'the cause of a network failure': {
    parse: (text) => networkCauseOf(new Error(text)),
    worst: [
      ['', 'net::', ''],
      ['', 'net::ERR_', ''],
      ['', 'proxy ', ''],
      ['', 'SSL ', ''],
    ],
  },
};

for (const [name, { parse, worst }] of Object.entries(parsers)) {
  describe(`parses ${name} in linear time`, () => {
    for (const [head, body, tail] of worst)
      it(JSON.stringify(`${head}${body}…${tail}`), () => {
        assertLinear(UP_TO_1_MIB, (size) => head + body.repeat(size / body.length) + tail, parse);
      });
  });
}
