import assert from 'node:assert/strict';
import { baselineOf, differencesOf, type Call, type Effects } from '../../../src/features/safety/model/effects.ts';

const call = (changes: Partial<Call> = {}): Call => ({
  ...{ method: 'POST', path: '/charges', body: '{}', key: undefined },
  ...changes,
});
const effects = (changes: Partial<Effects> = {}): Effects => ({
  ...{ status: 'COMPLETED', calls: [], files: new Map(), lines: [] },
  ...changes,
});
const differences = (undisturbed: Effects, disturbed: Effects) =>
  differencesOf(baselineOf(undisturbed, undisturbed), disturbed);

describe('The effects of a run', () => {
  it('have a repeated call as a difference, unless the receiver recognizes it', () => {
    const once = effects({ calls: [call()] });
    assert.deepEqual(differences(once, effects({ calls: [call(), call()] })), [
      { kind: 'call', name: 'POST /charges', expected: 1, actual: 2 },
    ]);
    const keyed = call({ key: 'job' });
    assert.deepEqual(differences(effects({ calls: [keyed] }), effects({ calls: [keyed, keyed] })), []);
    const put = call({ method: 'PUT' });
    assert.deepEqual(differences(effects({ calls: [put] }), effects({ calls: [put, put] })), []);
    const other = call({ method: 'PUT', body: '{"again":true}' });
    assert.equal(differences(effects({ calls: [put] }), effects({ calls: [put, other] })).length, 1);
    const keys = [call({ key: 'first' }), call({ key: 'second' })];
    assert.equal(differences(effects({ calls: [call({ key: 'first' })] }), effects({ calls: keys })).length, 1);
  });

  it('have another body as a difference only if the undisturbed bodies are equal', () => {
    const other = effects({ calls: [call({ body: '{"attempt":2}' })] });
    assert.deepEqual(differences(effects({ calls: [call()] }), other), [{ kind: 'callBody', name: 'POST /charges' }]);
    const [one, two] = [effects({ calls: [call({ body: '1' })] }), effects({ calls: [call({ body: '2' })] })];
    const baseline = baselineOf(one, two);
    assert.deepEqual(differencesOf(baseline, other), []);
    assert.equal(baseline.notes.length, 1);
  });

  it('have missing, changed, and left files as differences', () => {
    const file = (hash: string, lines?: number) => ({ hash, lines });
    const before = effects({ files: new Map([['OUT/a', file('1', 1)]]) });
    const kinds = (files: Effects['files']) => differences(before, effects({ files })).map(({ kind }) => kind);
    assert.deepEqual(kinds(new Map()), ['fileMissing']);
    assert.deepEqual(kinds(new Map([['OUT/a', file('2', 1)]])), ['fileContent']);
    assert.deepEqual(kinds(new Map([['OUT/a', file('2', 2)]])), ['fileLines']);
    assert.deepEqual(
      kinds(
        new Map([
          ['OUT/a', file('1', 1)],
          ['OUT/b', file('3')],
        ]),
      ),
      ['fileLeft'],
    );
  });

  it('compare no files that only one undisturbed run has', () => {
    const random = (name: string) => effects({ files: new Map([[name, { hash: '1', lines: 1 }]]) });
    const baseline = baselineOf(random('OUT/x1'), random('OUT/x2'));
    assert.deepEqual(differencesOf(baseline, random('OUT/x3')), []);
    assert.equal(baseline.notes.length, 2);
  });

  it('have the number of lines of a command as a difference if the lines differ from run to run', () => {
    const lines = (...all: string[]) => effects({ lines: all });
    const baseline = baselineOf(lines('1'), lines('2'));
    assert.deepEqual(differencesOf(baseline, lines('3')), []);
    assert.deepEqual(differencesOf(baseline, lines('3', '4')), [{ kind: 'line', name: '', expected: 1, actual: 2 }]);
  });

  it('have another status of the job as a difference', () => {
    assert.deepEqual(differences(effects(), effects({ status: 'FAILED' })), [
      { kind: 'status', expected: 'COMPLETED', actual: 'FAILED' },
    ]);
  });
});
