import assert from 'node:assert/strict';
import { fixesOf } from '../../../../src/features/requests/model/fixesOf.ts';
import { parseHttpFile } from '../../../../src/features/requests/model/parseHttpFile.ts';
import type { HttpProblemCode } from '../../../../src/features/requests/model/problem.ts';
import { checkHttpFile, type ResolveContext } from '../../../../src/features/requests/model/resolveRequest.ts';
import { context, lines } from './support.ts';

/** Returns the corrections of the first problem with a code, as pairs of title and corrected text. */
function corrections(text: string, code: HttpProblemCode, more: Partial<ResolveContext> = {}): [string, string][] {
  const file = parseHttpFile(text);
  const problem = checkHttpFile(file, { ...context, ...more }).find((one) => one.code === code);
  assert.ok(problem, `${code} is reported`);
  return fixesOf(file, problem).map(({ title, changes }) => {
    const corrected = changes
      .toSorted((a, b) => b.start - a.start)
      .reduce((all, change) => all.slice(0, change.start) + change.text + all.slice(change.end), text);
    return [title, corrected];
  });
}

const HELLO = '{{endpoint:hello-balanced}}';

describe('fixesOf', () => {
  it('corrects a misspelled method', () =>
    assert.deepEqual(corrections('PSOT /a', 'unknownMethod')[0], ["Change to 'POST'", 'POST /a']));

  it('corrects a misspelled endpoint', () =>
    assert.deepEqual(corrections('GET {{endpoint:helo-balanced}}/a', 'unknownEndpoint')[0], [
      "Change to 'hello-balanced'",
      `GET ${HELLO}/a`,
    ]));

  it('offers all endpoints in place of an unknown one', () =>
    assert.deepEqual(
      corrections('GET {{endpoint:other}}/a', 'unknownEndpoint').map(([title]) => title),
      ["Change to 'hello-balanced'", "Change to 'hello-queue'", "Change to 'twin'"],
    ));

  it('names an endpoint in a request with only a path', () => {
    assert.deepEqual(corrections('GET /a', 'endpointNotNamed')[0], ["Send to 'hello-balanced'", `GET ${HELLO}/a`]);
    const missing = corrections('GET /a', 'unknownEndpoint', { defaultEndpoint: 'hello-balancd' });
    assert.deepEqual(missing, [["Send to 'hello-balanced'", `GET ${HELLO}/a`]]);
  });

  it('chooses one of several endpoints by its ID', () =>
    assert.deepEqual(corrections('GET {{endpoint:twin}}/a', 'ambiguousEndpoint'), [
      ["Change to 'ep3'", 'GET {{endpoint:ep3}}/a'],
      ["Change to 'ep4'", 'GET {{endpoint:ep4}}/a'],
    ]));

  it('corrects or defines an unknown variable', () => {
    const text = lines('@name = 1', `GET ${HELLO}/{{nmae}}`);
    assert.deepEqual(corrections(text, 'unknownVariable'), [
      ["Change to 'name'", lines('@name = 1', `GET ${HELLO}/{{name}}`)],
      ["Define 'nmae' in this file", `@nmae = value\n${text}`],
    ]);
  });

  it('corrects a misspelled system variable', () =>
    assert.deepEqual(corrections(`GET ${HELLO}/{{$radomInt 1 2}}`, 'unknownSystemVariable'), [
      ["Change to '$randomInt'", `GET ${HELLO}/{{$randomInt 1 2}}`],
    ]));

  it('corrects a misspelled header', () =>
    assert.deepEqual(corrections(lines(`GET ${HELLO}/`, 'Acept: x'), 'misspelledHeader'), [
      ["Change to 'Accept'", lines(`GET ${HELLO}/`, 'Accept: x')],
    ]));

  it('removes headers that are not sent', () => {
    const text = lines(`GET ${HELLO}/`, '  Authorization: Bearer x', 'Host: y');
    assert.deepEqual(corrections(text, 'authorizationHeader'), [
      ['Remove Authorization', lines(`GET ${HELLO}/`, 'Host: y')],
    ]);
    assert.deepEqual(corrections(text, 'unsettableHeader'), [
      ['Remove Host', lines(`GET ${HELLO}/`, '  Authorization: Bearer x', '')],
    ]);
  });

  it('adds the content type', () =>
    assert.deepEqual(corrections(lines(`POST ${HELLO}/`, 'A: b', '', '{}'), 'contentTypeAdded'), [
      [
        'Add Content-Type: application/json',
        lines(`POST ${HELLO}/`, 'A: b', 'Content-Type: application/json', '', '{}'),
      ],
    ]));

  it('keeps the line breaks of Windows', () =>
    assert.deepEqual(
      corrections(`POST ${HELLO}/\r\n\r\n{}`, 'contentTypeAdded')[0]?.[1],
      `POST ${HELLO}/\r\nContent-Type: application/json\r\n\r\n{}`,
    ));

  it('inserts an empty line before a body', () =>
    assert.deepEqual(
      corrections(lines(`POST ${HELLO}/`, '{', '}'), 'invalidHeader')[0]?.[1],
      lines(`POST ${HELLO}/`, '', '{', '}'),
    ));

  it('sends a body with POST', () => {
    assert.equal(corrections(lines(`GET ${HELLO}/`, '', 'x'), 'bodyOnGet')[0]?.[1], lines(`POST ${HELLO}/`, '', 'x'));
    assert.equal(corrections(lines(`${HELLO}/`, '', 'x'), 'bodyOnGet')[0]?.[1], lines(`POST ${HELLO}/`, '', 'x'));
  });

  it('inserts a missing slash', () => {
    assert.equal(corrections(`GET ${HELLO}ping`, 'invalidPath')[0]?.[1], `GET ${HELLO}/ping`);
    assert.equal(corrections('GET ping', 'invalidPath')[0]?.[1], 'GET /ping');
  });

  it('closes a reference', () => assert.equal(corrections('GET /{{a', 'unclosedVariable')[0]?.[1], 'GET /{{a}}'));
});
