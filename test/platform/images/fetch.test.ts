import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { Readable } from 'node:stream';
import { isPublicAddress } from '../../../src/machine/images/publicAddress.ts';
import { MAX_IMAGE_BYTES } from '../../../src/contract/imageModel.ts';
import { fetchImage, type FetchPolicy } from '../../../src/platform/images/fetchImage.ts';
import { EditError } from '../../../src/platform/images/picture.ts';
import { cleanUp } from '../support.ts';
import { imageServer } from './support.ts';

const signal = new AbortController().signal;
const get = (url: string, policy: FetchPolicy = {}): Promise<Uint8Array> => fetchImage(url, policy, signal);

const refused = (url: string, message: RegExp, policy?: FetchPolicy): Promise<void> =>
  assert.rejects(get(url, policy), (error: Error) => {
    assert.ok(error instanceof EditError, `${url}: ${error.stack}`);
    assert.match(error.message, message, url);
    return true;
  });

/** Returns a lookup that resolves every name to these addresses. */
const names =
  (...addresses: readonly string[]): FetchPolicy['lookup'] =>
  () =>
    Promise.resolve(addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })));

describe('fetchImage', () => {
  afterEach(cleanUp);

  it('returns the bytes from a trusted origin unchanged', async () => {
    const origin = await imageServer((_request, response) => response.end('bytes'));
    assert.equal(Buffer.from(await get(`${origin}/a.png`, { trustedOrigins: [origin] })).toString(), 'bytes');
  });

  it('decodes data: URLs', async () => {
    assert.equal(Buffer.from(await get('data:image/png;base64,aGVsbG8=')).toString(), 'hello');
    assert.equal(Buffer.from(await get('data:,a%20b')).toString(), 'a b');
    await refused('data:image/png;base64,***', /malformed/);
    await refused('data:nothing', /malformed/);
  });

  it('refuses private addresses in every notation', async () => {
    let asked = 0;
    const { port } = new URL(await imageServer((_request, response) => void (asked++, response.end())));
    const hosts = [
      ...['127.0.0.1', 'localhost', '[::1]', '[::]', '0.0.0.0', '127.1', '2130706433', '0x7f000001', '0177.0.0.1'],
      ...[
        '[::ffff:127.0.0.1]',
        '[::ffff:7f00:1]',
        '10.0.0.1',
        '192.168.1.1',
        '172.16.0.1',
        '100.64.0.1',
        '169.254.169.254',
      ],
      ...[
        '[fe80::1]',
        '[fd00::1]',
        '[64:ff9b::7f00:1]',
        '[2002:7f00:1::]',
        '224.0.0.1',
        '255.255.255.255',
        '192.0.2.1',
      ],
    ];
    for (const host of hosts) await refused(`http://${host}:${port}/`, /private address/);
    assert.equal(asked, 0, 'no request was sent');
  });

  it('refuses a host if one of its addresses is private', async () => {
    await refused('http://images.test/', /images\.test has the private address 10\.1\.2\.3/, {
      lookup: names('8.8.8.8', '10.1.2.3'),
    });
    await refused('https://images.test/', /private address ::1/, { lookup: names('::1') });
    await refused('http://images.test/', /cannot be reached \(ENOTFOUND\)/, {
      lookup: () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })),
    });
  });

  it('resolves a name once and connects to the checked address', async () => {
    let asked = 0;
    const origin = await imageServer((request, response) => response.end(request.headers.host));
    const { port } = new URL(origin);
    const policy: FetchPolicy = {
      trustedOrigins: [`http://images.test:${port}`],
      lookup: () => {
        asked++;
        return Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
      },
    };
    // The name does not exist, so the connection must use the checked address.
    assert.equal(Buffer.from(await get(`http://images.test:${port}/`, policy)).toString(), `images.test:${port}`);
    assert.equal(asked, 1);
  });

  it('follows up to five redirects and checks each', async () => {
    const origin = await imageServer((request, response) => {
      const location = { '/near': '/image', '/inside': 'http://10.0.0.1/', '/file': 'file:///etc/passwd' }[
        request.url ?? ''
      ];
      if (request.url === '/image') response.end('here');
      else response.writeHead(302, { Location: location ?? '/loop' }).end();
    });
    const policy = { trustedOrigins: [origin] };
    assert.equal(Buffer.from(await get(`${origin}/near`, policy)).toString(), 'here');
    await refused(`${origin}/inside`, /private address 10\.0\.0\.1/, policy);
    await refused(`${origin}/file`, /file: URLs are not supported/, policy);
    await refused(`${origin}/loop`, /more than 5 redirects/, policy);
  });

  it('refuses other protocols, and URLs with credentials', async () => {
    await refused('not a url', /not a URL/);
    await refused('/a.png', /not a URL/);
    await refused('ftp://example.com/a.png', /ftp: URLs are not supported/);
    await refused('file:///etc/passwd', /file: URLs are not supported/);
    await refused('http://user:secret@example.com/', /user name or password/);
  });

  it('refuses images that are missing, too large, compressed, or truncated', async () => {
    const origin = await imageServer((request, response) => {
      if (request.url === '/missing') response.writeHead(404).end();
      else if (request.url === '/long')
        response.writeHead(200, { 'Content-Length': MAX_IMAGE_BYTES + 1 }).flushHeaders();
      else if (request.url === '/gzip') response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('x');
      else if (request.url === '/cut')
        response.writeHead(200, { 'Content-Length': 9 }).write('x', () => response.destroy());
      else Readable.from(endless()).pipe(response);
    });
    const policy = { trustedOrigins: [origin] };
    await refused(`${origin}/missing`, /responds with status 404/, policy);
    await refused(`${origin}/long`, /too large/, policy);
    await refused(`${origin}/endless`, /too large/, policy);
    await refused(`${origin}/gzip`, /compressed/, policy);
    await refused(`${origin}/cut`, /cannot be reached/, policy);
  });

  it('rejects with the reason of an aborted signal', async () => {
    const abort = new AbortController();
    const origin = await imageServer((_request, response) => {
      response.writeHead(200).write('x');
      abort.abort(new Error('stop'));
    });
    await assert.rejects(fetchImage(origin, { trustedOrigins: [origin] }, abort.signal), /stop/);
  });

  it('accepts public addresses', () => {
    for (const address of ['8.8.8.8', '1.1.1.1', '2606:4700::1111']) assert.ok(isPublicAddress(address), address);
    assert.ok(!isPublicAddress('no address'));
  });
});

function* endless(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(1_048_576);
}
