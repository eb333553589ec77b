// Clauses of the interface: Authentication 4.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  changeTeam,
  edit,
  forgetFileKey,
  EMPTY,
  freeName,
  LOCAL_ID,
  nameProblem,
  NewerDocumentError,
  parseDocument,
  put,
  remove,
  select,
  serializeDocument,
  signOut,
  type Change,
} from '../../../src/account/connections/connectionDocument.ts';
import { hosted } from './support.ts';

const after = (...steps: readonly Change[]) => steps.reduce((document, step) => step(document), EMPTY);

describe('the document of connections', () => {
  it('parses every document that it serializes', () => {
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
        assert.ok(known.includes(document.current), 'the current connection exists');
      }),
    );
  });

  it('sets or removes the team of one connection and keeps everything else', () => {
    const changed = after(put(hosted('a')), put(hosted('b')), changeTeam('a', 'engines'));
    assert.deepEqual(changed.connections, [{ ...hosted('a'), teamId: 'engines' }, hosted('b')]);
    assert.deepEqual(changeTeam('a', undefined)(changed).connections, [hosted('a'), hosted('b')]);
  });

  it('replaces a connection that has the same id', () => {
    const { connections } = after(put(hosted('a')), put(hosted('b')), put({ ...hosted('a'), name: 'renamed' }));
    assert.deepEqual(
      connections.map(({ name }) => name),
      ['renamed', 'b'],
    );
  });

  it('keeps the name and addresses of a connection that signs out', () => {
    const { connections } = after(put(hosted('a')), signOut('a'));
    const { apiKey, ...rest } = hosted('a');
    assert.deepEqual(connections, [rest]);
    assert.ok(apiKey);
  });

  it('keeps the address of the files of volumes when their key is forgotten or the connection signs out', () => {
    const s3Url = 'https://s3-{data_center}.example.com';
    const keyed = edit('a', { s3Url, s3AccessKeyId: 'id', s3SecretAccessKey: 'secret' });
    assert.deepEqual(after(put(hosted('a')), keyed, forgetFileKey('a')).connections, [{ ...hosted('a'), s3Url }]);
    const { apiKey: _, ...signedOut } = hosted('a');
    assert.deepEqual(after(put(hosted('a')), keyed, signOut('a')).connections, [{ ...signedOut, s3Url }]);
  });

  it('has no current connection after the current one is removed', () => {
    assert.equal(after(put(hosted('a')), select('a'), remove('a')).current, undefined);
    assert.equal(after(put(hosted('a')), select(LOCAL_ID), remove('a')).current, LOCAL_ID);
  });

  it('ignores changes of connections that do not exist', () => {
    const document = after(put(hosted('a')));
    for (const step of [select('b'), edit('b', { name: 'x' }), signOut('b'), remove('b')])
      assert.deepEqual(step(document), document);
  });

  it('distinguishes a newer version from a damaged document', () => {
    assert.throws(() => parseDocument('{"version":3,"everything":"else"}'), NewerDocumentError);
    assert.throws(() => parseDocument('{"version":2'), /damaged/);
  });

  it('reports a damaged document without its content', () => {
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

  it('rejects addresses that a key must not be sent to', () => {
    for (const change of [{ baseUrl: 'http://api.example.com' }, { endpointHost: 'https://api.example.com' }])
      assert.throws(() =>
        parseDocument(JSON.stringify({ version: 2, current: null, connections: [{ ...hosted('a'), ...change }] })),
      );
  });
});

describe('the name of a connection', () => {
  const document = after(put(hosted('a')), put(hosted('b')));

  it('must be unique, ignoring case', () => {
    assert.match(nameProblem(document, ' A ') ?? '', /Another/);
    assert.equal(nameProblem(document, 'A', 'a'), undefined);
    assert.match(nameProblem(document, ' ') ?? '', /Enter a name/);
  });

  it('gets a number when another connection has it', () => {
    assert.equal(freeName(document, 'c'), 'c');
    assert.equal(freeName(document, 'a'), 'a 2');
    assert.equal(freeName(put({ ...hosted('c'), name: 'A 2' })(document), 'a'), 'a 3');
  });
});
