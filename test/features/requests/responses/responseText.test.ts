import assert from 'node:assert/strict';
import type { ResponseHead } from '../../../../src/features/requests/actions/sendRequest.ts';
import {
  responseText,
  MAX_SHOWN_BYTES,
  type ShownResponse,
} from '../../../../src/features/requests/responses/responseText.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

type Begun = ShownResponse & { readonly head: ResponseHead };

function response(contentType: string, body: Uint8Array, changes: Partial<ShownResponse> = {}, status = 200): Begun {
  const headers = [{ name: 'content-type', value: contentType }];
  const head = { status, statusText: '', headers, workerId: 'abc', firstByteMs: 100 };
  return { state: { kind: 'complete' }, body, size: body.length, totalMs: 124, ...changes, head };
}

describe('The document of a response', () => {
  it('begins with the status, times, size, and worker, before the headers and the body', () => {
    assert.equal(
      responseText(response('application/json', bytes('{"a":[1,{"b":12345678901234567890}],"c":[]}'))),
      [
        'HTTP/1.1 200 OK',
        '# 200 OK · 124 ms (first byte 100 ms) · 43 B · worker abc',
        'content-type: application/json',
        '',
        '{',
        '  "a": [',
        '    1,',
        '    {',
        '      "b": 12345678901234567890',
        '    }',
        '  ],',
        '  "c": []',
        '}',
      ].join('\n'),
    );
  });

  it('shows JSON that is invalid, or not complete yet, as text', () => {
    assert.match(responseText(response('application/json', bytes('{"a": 1'))), /\n\n\{"a": 1$/);
    const partial = response('application/json', bytes('{"a":1}'), {
      state: { kind: 'receiving' },
      totalMs: undefined,
    });
    assert.match(responseText(partial), /^# 200 OK · receiving… \(first byte 100 ms\) · 7 B · worker abc$/m);
    assert.match(responseText(partial), /\n\n\{"a":1\}$/);
  });

  it('decodes text with the encoding of the response, and holds back an incomplete character', () => {
    assert.match(responseText(response('text/plain; charset="ISO-8859-1"', new Uint8Array([0xe4]))), /\n\nä$/);
    assert.match(responseText(response('text/plain; charset=unknown', bytes('ä'))), /\n\nä$/);
    const partial = response('text/plain', bytes('ä').subarray(0, 1), { state: { kind: 'receiving' } });
    assert.match(responseText(partial), /\n\n$/);
  });

  it('recognizes the type of a body without a content type', () => {
    assert.match(responseText(response('', bytes('{"a":1}'))), /"a": 1/);
    assert.match(responseText(response('', bytes('hi'))), /\n\nhi$/);
    assert.match(responseText(response('', new Uint8Array([0, 1]))), /Binary content \(2 B\)/);
  });

  it('does not show images and binary content as text', () => {
    assert.match(responseText(response('image/png', new Uint8Array([1]))), /# Image \(image\/png, 1 B\)/);
    assert.match(responseText(response('audio/wav', new Uint8Array([1]))), /# Binary content \(audio\/wav, 1 B\)/);
    assert.match(responseText(response('image/svg+xml', bytes('<svg/>'))), /\n\n<svg\/>$/);
  });

  it('shortens a large body, and says so', () => {
    const text = responseText(response('application/json', bytes(`"${'x'.repeat(MAX_SHOWN_BYTES)}"`)));
    assert.ok(text.length < MAX_SHOWN_BYTES + 1_000);
    assert.match(text, /# Only the first 5 MB of 5\.1 MB are shown\. “Save Response Body As…” writes all of it\.\n$/);
  });

  it('shows an error with its detail and its remedy at the top', () => {
    const body = bytes('{"error": "no workers available", "detail": "no worker\\nbecame ready"}');
    const failed = response('application/json', body, {}, 500);
    const fromBalancer = { ...failed, head: { ...failed.head, workerId: undefined } };
    const lines = responseText(fromBalancer).split('\n');
    assert.equal(lines[2], '# no workers available: no worker became ready');
    assert.match(lines[3] ?? '', /^# No worker became ready in time\..*logs/);
    assert.match(responseText(failed), /# The worker sent this error\. Its log can contain more\./);
  });

  it('tells when to repeat a request after 429', () => {
    const limited = response('application/json', bytes('{"error":"busy"}'), {}, 429);
    const headers = [...limited.head.headers, { name: 'retry-after', value: '7' }];
    assert.match(responseText({ ...limited, head: { ...limited.head, headers } }), /again in 7 s\./);
    assert.match(responseText(limited), /again in a moment\./);
  });

  it('explains an incomplete response and keeps the received part', () => {
    const text = (state: ShownResponse['state']) => responseText(response('text/plain', bytes('begun'), { state }));
    assert.match(
      text({ kind: 'cut', reason: 'socket hang up' }),
      /closed before the end.*\(socket hang up\)[^]*\n\nbegun$/,
    );
    assert.match(text({ kind: 'canceled' }), /was canceled[^]*\n\nbegun$/);
    assert.match(text({ kind: 'tooLarge' }), /too large[^]*\n\nbegun$/);
  });

  it('explains a missing response or body', () => {
    const none = { head: undefined, body: undefined, size: 0, totalMs: undefined };
    assert.equal(responseText({ ...none, state: { kind: 'waiting' } }), '# Waiting for the response…\n');
    assert.match(responseText({ ...none, state: { kind: 'failed', reason: 'refused' } }), /no response\.\n# refused/);
    assert.match(responseText({ ...none, state: { kind: 'canceled' } }), /canceled before/);
    const stored = { ...response('text/plain', new Uint8Array()), body: undefined, size: 9 };
    assert.match(responseText(stored), /no longer available\. Send the request again/);
  });

  it('cannot be forged by headers', () => {
    const { head, ...rest } = response('text/plain', bytes('x'));
    const headers = [{ name: 'x-a', value: 'one\u2028two\u0007' }];
    assert.match(responseText({ ...rest, head: { ...head, headers } }), /\nx-a: one two\n\n/);
  });
});
