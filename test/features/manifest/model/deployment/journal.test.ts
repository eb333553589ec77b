import assert from 'node:assert/strict';
import {
  deploymentOfVersion,
  deploymentsIn,
  digestOf,
  lastVerifiedVersion,
  linesAfter,
  readJournal,
  unverifiedDeployment,
  type Finished,
  type Journal,
  type JournalEntry,
  type Started,
} from '../../../../../src/features/manifest/model/deployment/journal.ts';

const EMPTY = readJournal('');
let minute = 0;
const common = (endpoint: string, deployment: string) => ({
  ...{
    at: new Date(Date.UTC(2026, 0, 1, 0, minute++)).toISOString(),
    deployment,
    platform: 'api.example.com',
    endpoint,
  },
});
const started = (endpoint: string, deployment: string): Started => ({
  ...{ event: 'started', ...common(endpoint, deployment), action: 'update', by: 'Ada', commit: 'c0ffee', dirty: true },
});
const finished = (endpoint: string, deployment: string, changes: Partial<Finished> = {}): Finished => ({
  ...{ event: 'finished', ...common(endpoint, deployment), outcome: 'updated', isVerified: true, rolledBack: false },
  ...changes,
});
/** Adds entries to the text of a journal. */
const added = (text: string, ...entries: readonly JournalEntry[]): string =>
  text + linesAfter(readJournal(text), entries);
const problemsOf = ({ problems }: Journal) => problems.map(({ kind, line }) => `${kind} ${line}`);

describe('A journal of deployments', () => {
  const first = [started('a', '1'), started('b', '1'), finished('a', '1', { version: 1 })];
  const text = added(added('', ...first), started('a', '2'), finished('a', '2', { version: 2, isVerified: false }));
  const lines = text.trimEnd().split('\n');

  it('returns the entries that were written', () => {
    const journal = readJournal(text);
    assert.deepEqual([problemsOf(journal), journal.torn], [[], []]);
    assert.deepEqual(journal.entries.slice(0, first.length), first);
    assert.deepEqual(problemsOf(readJournal(text.replaceAll('\n', '\r\n'))), []);
  });

  it('names each line that was changed, and each one whose predecessor is missing', () => {
    const forged = lines.with(2, (lines[2] ?? '').replace('"isVerified":true', '"isVerified":false'));
    assert.deepEqual(problemsOf(readJournal(forged.join('\n'))), ['changed 3', 'predecessorMissing 4']);
    assert.deepEqual(problemsOf(readJournal(lines.toSpliced(0, 1).join('\n'))), ['predecessorMissing 2']);
    assert.deepEqual(problemsOf(readJournal(lines.toSpliced(2, 1).join('\n'))), ['predecessorMissing 3']);
    const rehashed = { ...(JSON.parse(lines[2] ?? '') as object), hash: undefined, outcome: 'created' };
    const foreign = JSON.stringify({ ...rehashed, hash: digestOf({ ...rehashed, hash: undefined }) });
    assert.deepEqual(problemsOf(readJournal(lines.with(2, foreign).join('\n'))), ['predecessorMissing 4']);
  });

  it('does not depend on the order of the keys', () => {
    const reversed = lines.map((line) =>
      JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line) as object).reverse())),
    );
    assert.deepEqual(problemsOf(readJournal(reversed.join('\n'))), []);
  });

  it('accepts the merge of two branches, in any order, and continues after it', () => {
    const [ours, theirs] = [added(text, started('a', '3')), added(text, started('a', '4'), finished('a', '4'))];
    const own = (whole: string) => whole.slice(text.length);
    for (const merged of [text + own(ours) + own(theirs), own(theirs) + own(ours) + text]) {
      const journal = readJournal(added(merged, finished('a', '3')));
      assert.deepEqual(problemsOf(journal), []);
      assert.equal(journal.entries.length, lines.length + 4);
    }
  });

  it('tolerates a line that a crash has cut off, and names it', () => {
    const cut = text + linesAfter(readJournal(text), [started('a', '5')]).slice(0, 40);
    assert.deepEqual([problemsOf(readJournal(cut)), readJournal(cut).torn], [[], [lines.length + 1]]);
    const journal = readJournal(`${cut}\n${linesAfter(readJournal(cut), [started('a', '6')])}`);
    assert.deepEqual([problemsOf(journal), journal.torn], [[], [lines.length + 1]]);
    assert.equal(journal.entries.length, lines.length + 1);
  });

  it('names a line of another version', () => {
    const later = linesAfter(EMPTY, [{ ...started('a', '1'), event: 'paused' } as unknown as JournalEntry]);
    assert.deepEqual(problemsOf(readJournal(later)), ['unknown 1']);
  });

  it('lists deployments newest first, and those without a result', () => {
    const all = deploymentsIn(readJournal(text), 'api.example.com');
    assert.deepEqual(
      all.map(({ started: { endpoint, deployment }, finished: end }) => [endpoint, deployment, end?.version]),
      [
        ['a', '2', 2],
        ['b', '1', undefined],
        ['a', '1', 1],
      ],
    );
    assert.deepEqual(deploymentsIn(readJournal(text), 'other.example.com'), []);
  });

  it('finds the last verified version that is neither the present one nor rolled back', () => {
    const whole = added(
      text,
      ...[started('a', '7'), finished('a', '7', { version: 7, rolledBack: true })],
      ...[started('a', '8'), finished('a', '8', { version: 8 })],
    );
    const deployments = deploymentsIn(readJournal(whole), 'api.example.com', 'a');
    assert.equal(lastVerifiedVersion(deployments, 8), 1);
    assert.equal(lastVerifiedVersion(deployments, 9), 8);
    assert.equal(lastVerifiedVersion([], 1), undefined);
  });

  it('names the deployment whose settings an endpoint has, if it was not verified', () => {
    const endpoint = { id: 'id', name: 'a' };
    const unverified = (...entries: JournalEntry[]) => {
      const journal = readJournal(linesAfter(EMPTY, entries));
      return unverifiedDeployment(deploymentsIn(journal, 'api.example.com'), endpoint)?.started.deployment;
    };
    const ended = (deployment: string, changes: Partial<Finished>) => [
      started('a', deployment),
      finished('a', deployment, { endpointId: 'id', ...changes }),
    ];
    assert.equal(unverified(), undefined);
    for (const verification of ['ready', 'accepted', 'passed'])
      assert.equal(unverified(...ended('1', { verification })), undefined);
    const failed = ended('1', { verification: 'failed' });
    for (const verification of ['failed', 'unmet', 'timedOut', 'interrupted', 'unread', 'skipped'])
      assert.equal(unverified(...ended('1', { verification })), '1');
    assert.equal(unverified(...failed, started('a', '2')), '2');
    assert.equal(unverified(...failed, ...ended('2', { outcome: 'differs' })), '2');
    // Neither another endpoint nor what was not sent or was taken back changes the settings.
    assert.equal(unverified(...failed, started('b', '2'), ...ended('3', { endpointId: 'other' })), '1');
    assert.equal(unverified(...failed, started('a', '2'), finished('a', '2', { outcome: 'canceled' })), '1');
    assert.equal(unverified(...failed, ...ended('2', { verification: 'unmet', rolledBack: true })), '1');
    assert.equal(unverified(...failed, ...ended('2', { outcome: 'unchanged', verification: 'passed' })), undefined);
  });

  it('tells who made a version from which commit, and the result of its last verification', () => {
    const journal = (...verifications: Partial<Finished>[]) => {
      const entries = verifications.flatMap((changes, index): JournalEntry[] => [
        { ...started('a', String(index)), ...(index > 0 && { action: 'verify', by: 'Grace' }) },
        finished('a', String(index), { version: 1, isVerified: false, ...changes }),
      ]);
      return deploymentOfVersion(deploymentsIn(readJournal(linesAfter(EMPTY, entries)), 'api.example.com'), 1);
    };
    const made = { by: 'Ada', commit: 'c0ffee', isDirty: true, environment: undefined };
    assert.deepEqual(journal({ verification: 'unmet' }), { ...made, verification: 'failed' });
    assert.deepEqual(journal({ verification: 'accepted' }), { ...made, verification: 'none' });
    const verified = { verification: 'passed', isVerified: true };
    assert.deepEqual(journal({ verification: 'unmet' }, verified), { ...made, verification: 'verified' });
    assert.equal(journal({ version: 2 }), undefined);
    assert.equal(journal({ rolledBack: true }), undefined);
  });
});
