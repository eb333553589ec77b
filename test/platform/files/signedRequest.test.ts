import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { chunkedContents } from '../../../src/platform/files/chunkedBody.ts';
import { verifySignature, type VerifiedRequest } from '../../../src/platform/files/signedRequest.ts';
import { s3Failure } from './s3Client.ts';

/* The vectors are the examples of the documentation of Signature Version 4 for S3. */

const KEY = 'AKIAIOSFODNN7EXAMPLE';
const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const NOW = Date.parse('2013-05-24T00:00:00Z');
const HOST = 'examplebucket.s3.amazonaws.com';
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const SCOPE = '20130524/us-east-1/s3/aws4_request';

type Message = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'>;

function message(method: string, url: string, headers: Record<string, string>): Message {
  return { method, url, headers, rawHeaders: Object.entries(headers).flat() };
}

function signed(signature: string, headers: Record<string, string>): Record<string, string> {
  const names = Object.keys(headers).sort().join(';');
  const authorization = `AWS4-HMAC-SHA256 Credential=${KEY}/${SCOPE},SignedHeaders=${names},Signature=${signature}`;
  return { ...headers, authorization };
}

const verify = (incoming: Message, now = NOW): VerifiedRequest =>
  verifySignature(incoming, now, (id) => (id === KEY ? SECRET : undefined));

const DATED = { host: HOST, 'x-amz-content-sha256': EMPTY, 'x-amz-date': '20130524T000000Z' };
const GET_HEADERS = signed('f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41', {
  ...DATED,
  range: 'bytes=0-9',
});
const PRESIGNED =
  `/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${encodeURIComponent(`${KEY}/${SCOPE}`)}` +
  '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
  '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404';

describe('signatures of the S3 interface', () => {
  const vectors: [string, Message][] = [
    ['GET object', message('GET', '/test.txt', GET_HEADERS)],
    [
      'PUT object',
      message(
        'PUT',
        '/test%24file.text',
        signed('98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd', {
          ...DATED,
          date: 'Fri, 24 May 2013 00:00:00 GMT',
          'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
          'x-amz-storage-class': 'REDUCED_REDUNDANCY',
        }),
      ),
    ],
    [
      'GET bucket lifecycle',
      message('GET', '/?lifecycle', signed('fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543', DATED)),
    ],
    [
      'GET bucket',
      message(
        'GET',
        '/?max-keys=2&prefix=J',
        signed('34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7', DATED),
      ),
    ],
    ['presigned GET', message('GET', PRESIGNED, { host: HOST })],
  ];
  for (const [name, incoming] of vectors) {
    it(`accepts the published example ${name}`, () => {
      assert.equal(verify(incoming).accessKeyId, KEY);
    });
  }

  it('verifies the published example of chunks, and refuses a changed chunk', async () => {
    const headers = signed('4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9', {
      host: 's3.amazonaws.com',
      'content-encoding': 'aws-chunked',
      'content-length': '66824',
      'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
      'x-amz-date': '20130524T000000Z',
      'x-amz-decoded-content-length': '66560',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    });
    const { payload, chunks } = verify(message('PUT', '/examplebucket/chunkObject.txt', headers));
    const chunk = (size: number, signature: string): string =>
      `${size.toString(16)};chunk-signature=${signature}\r\n${'a'.repeat(size)}\r\n`;
    const body =
      chunk(65_536, 'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648') +
      chunk(1_024, '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497') +
      chunk(0, 'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9');
    const read = async (text: string, pieceBytes: number): Promise<number> => {
      async function* pieces(): AsyncGenerator<Buffer> {
        for (let at = 0; at < text.length; at += pieceBytes)
          yield await Promise.resolve(Buffer.from(text.slice(at, at + pieceBytes)));
      }
      let size = 0;
      for await (const part of chunkedContents(pieces(), payload, chunks, new Map())) size += part.length;
      return size;
    };
    for (const pieceBytes of [1, 1_000, 100_000]) assert.equal(await read(body, pieceBytes), 66_560);
    await assert.rejects(read(body.replace('aaa', 'aba'), 1_000), s3Failure('SignatureDoesNotMatch'));
    await assert.rejects(read(body.slice(0, 70_000 - 4_000), 1_000), s3Failure('IncompleteBody'));
    await assert.rejects(read(`${body}x`, 1_000), s3Failure('InvalidRequest'));
  });

  it('refuses the signature for another method, path, query, header value, and key', () => {
    const refuse = (incoming: Message): void =>
      void assert.throws(() => verify(incoming), s3Failure('SignatureDoesNotMatch'));
    refuse(message('PUT', '/test.txt', GET_HEADERS));
    refuse(message('GET', '/other.txt', GET_HEADERS));
    refuse(message('GET', '/test.txt?acl', GET_HEADERS));
    refuse(message('GET', '/test.txt', { ...GET_HEADERS, range: 'bytes=0-10' }));
    refuse(message('GET', PRESIGNED.replace('86400', '86401'), { host: HOST }));
    refuse(message('GET', PRESIGNED, { host: 'other' }));
    const other = message('GET', '/test.txt', {
      ...GET_HEADERS,
      authorization: GET_HEADERS['authorization']?.replace(KEY, 'OTHER') ?? '',
    });
    assert.throws(() => verify(other), s3Failure('InvalidAccessKeyId'));
  });

  it('refuses times that differ by more than 15 minutes, and expired addresses', () => {
    const get = message('GET', '/test.txt', GET_HEADERS);
    const minutes = (count: number): number => NOW + count * 60_000;
    for (const now of [minutes(-15), minutes(15)]) assert.ok(verify(get, now));
    for (const now of [minutes(-15) - 1, minutes(15) + 1]) {
      assert.throws(() => verify(get, now), s3Failure('RequestTimeTooSkewed'));
    }
    const presigned = message('GET', PRESIGNED, { host: HOST });
    assert.ok(verify(presigned, NOW + 86_400_000));
    assert.throws(() => verify(presigned, NOW + 86_400_001), s3Failure('AccessDenied'));
    assert.throws(() => verify(presigned, minutes(-16)), s3Failure('AccessDenied'));
    const week = message('GET', PRESIGNED.replace('86400', '604801'), { host: HOST });
    assert.throws(() => verify(week), s3Failure('AuthorizationQueryParametersError'));
  });

  it('requires signatures of the host and of every x-amz header', () => {
    const added = message('GET', '/test.txt', { ...GET_HEADERS, 'x-amz-acl': 'private' });
    assert.throws(() => verify(added), s3Failure('AccessDenied'));
    const { host: _host, ...unhosted } = DATED;
    const unsigned = message('GET', '/test.txt', { ...signed('0'.repeat(64), unhosted), host: HOST });
    assert.throws(() => verify(unsigned), s3Failure('AccessDenied'));
    const undigested = message('GET', '/', signed('0'.repeat(64), { host: HOST, 'x-amz-date': '20130524T000000Z' }));
    assert.throws(() => verify(undigested), s3Failure('InvalidRequest'));
  });

  it('refuses malformed headers and queries with a code', () => {
    for (const authorization of [
      'AWS4-HMAC-SHA256 ',
      'AWS4-HMAC-SHA256 Credential=a,SignedHeaders=host,Signature=zz',
      `AWS4-HMAC-SHA256 Credential=${KEY}/20130525/us-east-1/s3/aws4_request,SignedHeaders=host,Signature=${'0'.repeat(64)}`,
      `AWS4-HMAC-SHA256 Credential=${KEY}/20130524/us-east-1/ec2/aws4_request,SignedHeaders=host,Signature=${'0'.repeat(64)}`,
      `AWS4-HMAC-SHA256 Credential=${KEY}/${SCOPE},SignedHeaders=host;host,Signature=${'0'.repeat(64)}`,
    ]) {
      const incoming = message('GET', '/', { ...DATED, authorization });
      assert.throws(() => verify(incoming), s3Failure('AuthorizationHeaderMalformed'));
    }
    assert.throws(() => verify(message('GET', '/%zz', GET_HEADERS)), s3Failure('InvalidArgument'));
    const twice = message('GET', `${PRESIGNED}&X-Amz-Date=20130524T000000Z`, { host: HOST });
    assert.throws(() => verify(twice), s3Failure('AuthorizationQueryParametersError'));
  });
});
