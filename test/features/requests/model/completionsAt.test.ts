import assert from 'node:assert/strict';
import fc from 'fast-check';
import { completionsAt } from '../../../../src/features/requests/model/completionsAt.ts';
import { parseHttpFile } from '../../../../src/features/requests/model/parseHttpFile.ts';
import { context, lines } from './support.ts';

/** Returns the completions at `|`. */
function at(marked: string) {
  const offset = marked.indexOf('|');
  const text = marked.replace('|', '');
  return { text, completions: completionsAt(parseHttpFile(text), offset, context) };
}

const labels = (marked: string) => at(marked).completions.map(({ label }) => label);

/** Applies the completion with a label. Snippet escapes are removed. */
function applied(marked: string, label: string): string {
  const { text, completions } = at(marked);
  const found = completions.find((one) => one.label === label);
  assert.ok(found, `${label} is offered`);
  return text.slice(0, found.start) + found.insertText.replaceAll(/\\(.)/g, '$1') + text.slice(found.end);
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'WEBSOCKET', 'GET {{endpoint:hello-balanced}}/'];
const VARIABLES = [
  ...['endpoint:hello-balanced', 'endpoint:hello-queue', 'endpoint:ep3', 'endpoint:ep4', 'a', 'b'],
  ...['$guid', '$uuid', '$timestamp', '$isoTimestamp', '$randomInt'],
];

describe('completionsAt', () => {
  for (const text of ['|', 'P|', '### x\n|', '@a = 1\n\n|', 'GET /a\n\n{}\n\n###\n|', '|GET /a', 'GE|T /a', '# c\n  |'])
    it(`offers methods in ${JSON.stringify(text)}`, () => assert.deepEqual(labels(text), METHODS));

  it('replaces the written method', () => {
    assert.equal(applied('PO| /a', 'POST'), 'POST  /a');
    assert.equal(applied('po|x', 'PUT'), 'PUT ');
  });

  const definitions = lines('@a = 1', '@b = 2', '');
  for (const text of [
    'GET {{|',
    'GET {{|}}/x',
    'GET /{{ en|',
    'POST /\nX: {{|}}',
    'POST /\n\n{"a": "{{|}}"}',
    '@c = {{|',
  ])
    it(`offers variables in ${JSON.stringify(text)}`, () => {
      const expected = text.startsWith('@c') ? [...VARIABLES.slice(0, 6), 'c', ...VARIABLES.slice(6)] : VARIABLES;
      assert.deepEqual(labels(definitions + text), expected);
    });

  it('closes the braces of a variable unless they are closed', () => {
    assert.equal(applied('GET {{|', 'endpoint:hello-queue'), 'GET {{endpoint:hello-queue}}');
    assert.equal(applied('GET {{ $g|uix }}/a', '$guid'), 'GET {{ $guid }}/a');
    assert.equal(applied('GET {{endpoint:he|llo}}/a', 'endpoint:hello-balanced'), 'GET {{endpoint:hello-balanced}}/a');
  });

  for (const text of ['GET /a\n|', 'GET /a\nAccept: x\nCon|', 'GET /a\n# c\n|', 'POST /a\nCont|-Type: x'])
    it(`offers header names in ${JSON.stringify(text)}`, () => {
      const found = labels(text);
      assert.ok(found.includes('Content-Type') && found.includes('X-Runpod-Worker-Id'), found.join());
      assert.equal(found.includes('Accept'), !text.includes('Accept'));
    });

  it('inserts the colon after a header name unless it exists', () => {
    assert.equal(applied('GET /a\nacc|', 'Accept'), 'GET /a\nAccept: ');
    assert.equal(applied('GET /a\nacc|ep: x', 'Accept'), 'GET /a\nAccept: x');
  });

  it('offers values of headers', () => {
    assert.deepEqual(labels('GET /a\nAccept: |').slice(0, 2), ['application/json', 'text/event-stream']);
    assert.deepEqual(labels('GET /a\nX-Runpod-Worker-Id: s|'), ['strict', 'strict-resume']);
    assert.equal(applied('GET /a\ncontent-type: app|lication', 'text/plain'), 'GET /a\ncontent-type: text/plain');
  });

  it('offers the paths of other requests', () => {
    const others = lines('GET /greet?a=1', '###', 'POST {{endpoint:x}}/v1/chat', '###', 'GET /greet', '###', '');
    assert.deepEqual(labels(`${others}GET {{endpoint:y}}/|`), ['/greet', '/v1/chat']);
    assert.equal(applied(`${others}GET {{endpoint:y}}/v|`, '/v1/chat'), `${others}GET {{endpoint:y}}/v1/chat`);
    assert.deepEqual(labels(`${others}GET {{endpoint:y}}|`), ['/greet', '/v1/chat']);
  });

  for (const text of ['POST /a\n\n|', 'POST /a\n\n{\n  "|', '# |', '### |', '@|', 'GET /a?|', 'GET https://a/|'])
    it(`offers nothing in ${JSON.stringify(text)}`, () => assert.deepEqual(labels(text), []));

  it('never throws, and replaces text at the offset', () => {
    const token = fc.constantFrom(
      '\n',
      '\r\n',
      ' ',
      '###',
      'GET ',
      '/a',
      '{{',
      '}}',
      'Accept',
      ':',
      '@a = ',
      '#',
      '{',
      'x',
    );
    let count = 0;
    fc.assert(
      fc.property(fc.array(token, { maxLength: 20 }), fc.nat(), (tokens, place) => {
        const text = tokens.join('');
        const offset = place % (text.length + 1);
        for (const { start, end } of completionsAt(parseHttpFile(text), offset, context)) {
          count++;
          assert.ok(
            0 <= start &&
              start <= offset &&
              offset <= end &&
              end <= text.length &&
              !/[\r\n]/.test(text.slice(start, end)),
          );
        }
      }),
      { numRuns: 3000 },
    );
    assert.ok(count > 100);
  });
});
