import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  changeTeam,
  edit,
  EMPTY,
  freeName,
  LOCAL_ID,
  migrateLegacy,
  nameProblem,
  NewerDocumentError,
  parseDocument,
  put,
  remove,
  select,
  serializeDocument,
  signOut,
  type Change,
} from '../../../src/features/connections/connectionDocument.ts';
import { hosted } from './support.ts';

const after = (...steps: readonly Change[]) => steps.reduce((document, step) => step(document), EMPTY);

describe('the document of connections', () => {
  it('reads what it wrote', () => {
    const step = fc.oneof(
      fc.integer({ min: 1, max: 4 }).map((id) => put(hosted(String(id)))),
      fc.integer({ min: 1, max: 4 }).map((id) => select(String(id))),
      fc.integer({ min: 1, max: 4 }).map((id) => signOut(String(id))),
      fc.integer({ min: 1, max: 4 }).map((id) => changeTeam(String(id), id % 2 === 0 ? 'team' : undefined)),
      fc.integer({ min: 1, max: 4 }).map((id) => remove(String(id))),
      fc.constant(select(LOCAL_ID)),
    );
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const document = after(...steps);
        assert.deepEqual(parseDocument(serializeDocument(document)), document);
        const known = [LOCAL_ID, undefined, ...document.connections.map(({ id }) => id)];
        assert.ok(known.includes(document.current), 'the current connection is one that exists');
      }),
    );
  });

  it('sets or removes the team of one connection and keeps everything else', () => {
    const changed = after(put(hosted('a')), put(hosted('b')), changeTeam('a', 'engines'));
    assert.deepEqual(changed.connections, [{ ...hosted('a'), teamId: 'engines' }, hosted('b')]);
    assert.deepEqual(changeTeam('a', undefined)(changed).connections, [hosted('a'), hosted('b')]);
  });

  it('puts a connection in the place of the one with its id', () => {
    const { connections } = after(put(hosted('a')), put(hosted('b')), put({ ...hosted('a'), name: 'renamed' }));
    assert.deepEqual(
      connections.map(({ name }) => name),
      ['renamed', 'b'],
    );
  });

  it('keeps name and addresses of a connection that is signed out', () => {
    const { connections } = after(put(hosted('a')), signOut('a'));
    const { apiKey, ...rest } = hosted('a');
    assert.deepEqual(connections, [rest]);
    assert.ok(apiKey);
  });

  it('has no current connection once that is removed', () => {
    assert.equal(after(put(hosted('a')), select('a'), remove('a')).current, undefined);
    assert.equal(after(put(hosted('a')), select(LOCAL_ID), remove('a')).current, LOCAL_ID);
  });

  it('is not changed by steps on connections that are gone', () => {
    const document = after(put(hosted('a')));
    for (const step of [select('b'), edit('b', { name: 'x' }), signOut('b'), remove('b')])
      assert.deepEqual(step(document), document);
  });

  it('of a newer version is told apart from a damaged one', () => {
    assert.throws(() => parseDocument('{"version":3,"everything":"else"}'), NewerDocumentError);
    assert.throws(() => parseDocument('{"version":2'), /damaged/);
  });

  it('tells nothing of what is in it when it is damaged', () => {
    const text = JSON.stringify({
      version: 2,
      current: null,
      connections: [{ ...hosted('a'), baseUrl: 'secret-key' }],
    });
    assert.throws(
      () => parseDocument(text),
      (error: Error) => !error.message.includes('secret') && error.cause === undefined,
    );
  });

  it('has no addresses that a key may not be sent to', () => {
    for (const change of [{ baseUrl: 'http://api.example.com' }, { endpointHost: 'https://api.example.com' }])
      assert.throws(() =>
        parseDocument(JSON.stringify({ version: 2, current: null, connections: [{ ...hosted('a'), ...change }] })),
      );
  });
});

describe('the one connection of an earlier version', () => {
  it('is taken over with its key, and stays the current one', () => {
    const { id, ...rest } = hosted('a');
    const document = migrateLegacy(JSON.stringify({ kind: 'hosted', ...rest }), () => id);
    assert.deepEqual(document, { current: 'a', connections: [hosted('a')] });
  });

  it('leaves nothing but its choice when it was the local platform', () => {
    const legacy = { kind: 'local', ...hosted('a'), apiKey: 'of-an-earlier-process' };
    assert.deepEqual(
      migrateLegacy(JSON.stringify(legacy), () => 'new'),
      { current: LOCAL_ID, connections: [] },
    );
  });

  it('counts as none when it cannot be read', () => {
    for (const text of ['', '{}', 'null', '{"kind":"hosted"}'])
      assert.deepEqual(
        migrateLegacy(text, () => 'new'),
        EMPTY,
      );
  });
});

describe('the name of a connection', () => {
  const document = after(put(hosted('a')), put(hosted('b')));

  it('is told apart from the others, also by case', () => {
    assert.match(nameProblem(document, ' A ') ?? '', /Another/);
    assert.equal(nameProblem(document, 'A', 'a'), undefined);
    assert.match(nameProblem(document, ' ') ?? '', /needs/);
  });

  it('gets a number where it is taken', () => {
    assert.equal(freeName(document, 'c'), 'c');
    assert.equal(freeName(document, 'a'), 'a 2');
    assert.equal(freeName(put({ ...hosted('c'), name: 'A 2' })(document), 'a'), 'a 3');
  });
});
