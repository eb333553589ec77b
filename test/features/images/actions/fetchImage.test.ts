import assert from 'node:assert/strict';
import { deflateSync } from 'node:zlib';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { ApiError } from '../../../../src/client/apiError.ts';
import { systemClock } from '../../../../src/client/clock.ts';
import {
  FETCH_TIMEOUT_MS,
  fetchEditedImage,
  FetchImageError,
  MAX_FETCHED_BYTES,
  type FetchImageCode,
  type FetchImageOptions,
} from '../../../../src/features/images/actions/fetchImage.ts';
import { gradient, imageServer, png, pngOf } from '../../../platform/images/support.ts';
import { cleanUp } from '../../../platform/support.ts';
import { steppedClock } from '../../steppedClock.ts';

const picture = pngOf(gradient(60, 40));

describe('fetching an edited image', () => {
  let origin: string;
  let other: string;
  const requests: IncomingMessage[] = [];
  let onRequest = (): void => undefined;

  before(async () => {
    other = await imageServer((_, response) => response.end(picture));
    origin = await imageServer((request, response) => {
      requests.push(request);
      onRequest();
      const { pathname } = new URL(request.url ?? '', 'http://server');
      if (pathname === '/a.png') response.end(picture);
      else if (pathname === '/once') response.writeHead(302, { Location: '/a.png' }).end();
      else if (pathname === '/loop') response.writeHead(302, { Location: '/loop' }).end();
      else if (pathname === '/inside') response.writeHead(302, { Location: `${other}/a.png` }).end();
      else if (pathname === '/page') response.writeHead(200, { 'Content-Type': 'image/png' }).end('<!doctype html>');
      else if (pathname === '/large')
        response.writeHead(200, { 'Content-Length': MAX_FETCHED_BYTES + 1 }).flushHeaders();
      else if (pathname === '/endless') Readable.from(endless()).pipe(response);
      else if (pathname === '/pixels') response.end(png(10_000, 10_000, deflateSync(Buffer.alloc(10))));
      else if (pathname === '/cut') {
        response.writeHead(200, { 'Content-Length': 1_000 });
        response.write(picture, () => response.destroy());
      } else if (pathname === '/error') response.writeHead(500).end();
      else if (pathname === '/denied') response.writeHead(403).end();
      else if (pathname !== '/hang') response.writeHead(404).end();
    });
  });
  after(cleanUp);

  const options = (changes: Partial<FetchImageOptions> = {}): FetchImageOptions => ({
    fetch: globalThis.fetch,
    clock: systemClock,
    signal: new AbortController().signal,
    connection: { baseUrl: `${origin}/api`, queueUrl: `${origin}/queue` },
    ...changes,
  });
  const fails = async (code: FetchImageCode, address: string, changes?: Partial<FetchImageOptions>) => {
    await assert.rejects(fetchEditedImage(options(changes), address), (error) => {
      assert.ok(error instanceof FetchImageError, String(error));
      assert.equal(error.code, code, error.message);
      assert.match(error.message, /^\S.*\.$/, 'a complete sentence');
      return true;
    });
  };
  /** Responds to each address with a redirect to the next one, and to the last one with a picture. */
  const redirecting =
    (...hops: readonly string[]): FetchImageOptions['fetch'] =>
    (address) => {
      const next = hops[hops.indexOf((address as URL).href) + 1];
      const headers = next === undefined ? undefined : { Location: next };
      const body = next === undefined ? new Uint8Array(picture) : null;
      return Promise.resolve(new Response(body, { status: next === undefined ? 200 : 302, headers: headers ?? {} }));
    };
  const publicNames = { lookup: () => Promise.resolve([{ address: '93.184.215.14', family: 4 }]) };

  it('returns the bytes with their format and size, and sends no credentials', async () => {
    const image = await fetchEditedImage(options(), `${origin}/a.png`);
    assert.deepEqual([image.mediaType, image.width, image.height], ['image/png', 60, 40]);
    assert.deepEqual(Buffer.from(image.bytes), picture);
    const headers = requests.at(-1)?.headers;
    assert.deepEqual([headers?.authorization, headers?.cookie], [undefined, undefined]);
  });

  it('follows a redirect on the platform, and few redirects between public servers', async () => {
    assert.equal((await fetchEditedImage(options(), `${origin}/once`)).width, 60);
    const [first, second] = ['https://a.example/1', 'https://b.example/2'];
    const fetch = redirecting(first, second);
    assert.equal((await fetchEditedImage(options({ fetch, ...publicNames }), first)).width, 60);
    await fails('redirects', `${origin}/loop`);
  });

  it('reads other servers only over HTTPS and only at public addresses', async () => {
    await fails('insecure', `${other}/a.png`);
    await fails('insecure', 'http://example.com/a.png');
    for (const host of ['127.0.0.1', '[::1]', '10.0.0.1', '169.254.169.254', 'localhost', 'x.localhost', 'db.internal'])
      await fails('private', `https://${host}/a.png`);
    await fails('address', 'file:///etc/passwd');
    await fails('address', 'data:image/png;base64,AAAA');
    await fails('address', 'nonsense');
    await fails('address', 'https://user:secret@example.com/a.png');
  });

  it('does not follow a redirect to this machine, a private network, or another scheme', async () => {
    await fails('insecure', `${origin}/inside`);
    const start = 'https://a.example/1';
    for (const [code, target] of [
      ['insecure', `${origin}/a.png`],
      ['insecure', 'http://a.example/2'],
      ['private', 'https://192.168.1.1/'],
      ['address', 'file:///etc/passwd'],
    ] as const)
      await fails(code, start, { fetch: redirecting(start, target), ...publicNames });
    const lookup = () => Promise.resolve([{ address: '10.1.2.3', family: 4 }]);
    await fails('private', start, { fetch: redirecting(start, 'https://rebound.example/'), lookup });
  });

  it('tells an expired address from other errors of the server', async () => {
    await fails('expired', `${origin}/gone`);
    await fails('expired', `${origin}/denied`);
    await fails('status', `${origin}/error`);
    await fails('unreachable', `${origin}/cut`);
    await fails('unreachable', 'https://a.example/', { fetch: () => Promise.reject(new TypeError('fetch failed')) });
  });

  it('refuses files that are no images, too large, or have too many pixels', async () => {
    await fails('notAnImage', `${origin}/page`);
    await fails('tooLarge', `${origin}/large`);
    await fails('tooLarge', `${origin}/endless`);
    await fails('tooLarge', `${origin}/pixels`);
  });

  it('gives up after its time limit', async () => {
    const stepped = steppedClock();
    const { clock } = stepped;
    const asked = new Promise<void>((resolve) => (onRequest = resolve));
    const failed = fails('timeout', `${origin}/hang`, { clock });
    await asked;
    stepped.advance(FETCH_TIMEOUT_MS);
    await failed;
  });

  it('stops when it is canceled', async () => {
    const stop = new AbortController();
    const asked = new Promise<void>((resolve) => (onRequest = resolve));
    const fetched = fetchEditedImage(options({ signal: stop.signal }), `${origin}/hang`);
    await asked;
    stop.abort();
    await assert.rejects(fetched, (error) => error instanceof ApiError && error.kind === 'canceled');
  });
});

function* endless(): Generator<Buffer> {
  const chunk = Buffer.alloc(1_048_576);
  for (;;) yield chunk;
}
