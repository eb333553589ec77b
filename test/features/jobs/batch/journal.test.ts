import assert from 'node:assert/strict';
import { appendFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createJournal, Journal, readJournal } from '../../../../src/features/jobs/batch/journal.ts';
import type { BatchHeader } from '../../../../src/features/jobs/batch/model/journalEntries.ts';
import { failedSubmission, isKeyKept } from '../../../../src/features/jobs/batch/model/submission.ts';
import { cleanUp, dataDirectory } from '../../../platform/support.ts';

const header: BatchHeader = {
  ...{ kind: 'header', version: 1, id: 'b', connectionId: 'c', endpointId: 'e', endpointName: 'hello' },
  source: { kind: 'csv', path: '/rows.csv', size: 1, modifiedAt: 1, sha256: 'x' },
  ...{ rows: 4, broken: 0, createdAt: 1 },
};

describe('the journal of a batch', () => {
  afterEach(cleanUp);

  async function arrange() {
    const folder = await dataDirectory();
    await createJournal(folder, header);
    return { folder, file: path.join(folder, 'journal.jsonl') };
  }

  it('restores the state of each row', async () => {
    const { folder } = await arrange();
    const journal = await Journal.open(folder);
    await Promise.all([
      journal.append({ kind: 'sending', row: 1, key: 'b-1-0', at: 5 }),
      journal.append({ kind: 'sending', row: 2, key: 'b-2-0', at: 6 }),
      journal.append({ kind: 'accepted', row: 2, job: 'j2' }),
      journal.append({ kind: 'sending', row: 3, key: 'b-3-0', at: 7 }),
      journal.append({ kind: 'accepted', row: 3, job: 'j3' }),
      journal.append({ kind: 'ended', row: 3, status: 'COMPLETED', at: 0, length: 10, ms: 20 }),
    ]);
    await journal.close();
    const { state } = await readJournal(folder);
    assert.deepEqual(
      [1, 2, 3, 4].map((row) => state.stateOf(row)),
      ['sending', 'accepted', 'completed', 'pending'],
    );
    assert.deepEqual([state.sentOf(1), state.jobOf(2)], [{ key: 'b-1-0', at: 5 }, 'j2']);
    assert.deepEqual([state.resultOf(3), state.resultOf(1)], [{ at: 0, length: 10 }, undefined]);
    assert.deepEqual([state.left, state.executionMs, state.stop], [3, 20, undefined]);
  });

  it('ignores and removes a last line that was not written completely', async () => {
    const { folder, file } = await arrange();
    const complete = await readFile(file, 'utf8');
    for (const torn of ['{"kind":"sending","row":1,"key":"b-1-0","at":5}', '{"kind":"acc', '{"kind":"\ud83d']) {
      await appendFile(file, torn);
      const journal = await Journal.open(folder);
      assert.equal(journal.state.counts.pending, 4);
      await journal.close();
      assert.equal(await readFile(file, 'utf8'), complete);
    }
  });

  it('gives a row that is sent again a new key, and a repetition the same key', async () => {
    const { folder } = await arrange();
    const journal = await Journal.open(folder);
    assert.equal(journal.state.keyOf(1), 'b-1-0');
    await journal.append({ kind: 'sending', row: 1, key: 'b-1-0', at: 5 });
    await journal.append({ kind: 'sending', row: 1, key: 'b-1-0', at: 9 });
    assert.deepEqual([journal.state.keyOf(1), journal.state.sentOf(1)?.at], ['b-1-0', 5]);
    await journal.append({ kind: 'ended', row: 1, status: 'FAILED', at: 0, length: 5 });
    await journal.append({ kind: 'stopped', stop: 'done' });
    await journal.sendAgain([1]);
    assert.deepEqual(
      [journal.state.keyOf(1), journal.state.stateOf(1), journal.state.resultOf(1), journal.state.stop],
      ['b-1-1', 'pending', undefined, undefined],
    );
    await journal.close();
  });
});

describe('a failed submission', () => {
  it('is repeated only if it cannot create a second job', () => {
    const meanings = (honorsKeys: boolean) =>
      (
        [
          ['rateLimited', 'unreachable'],
          ['unauthorized', 'unreachable'],
          ['validation', 'unreachable'],
          ['network', 'refused'],
          ['network', 'unreachable'],
          ['timeout', 'unreachable'],
          ['server', 'unreachable'],
        ] as const
      ).map(([kind, cause]) => failedSubmission({ kind, cause }, honorsKeys));
    const uncertain = 'uncertain';
    assert.deepEqual(meanings(false), ['returned', 'returned', 'refused', 'returned', uncertain, uncertain, uncertain]);
    assert.deepEqual(meanings(true), ['returned', 'returned', 'refused', 'repeat', 'repeat', 'repeat', 'repeat']);
  });

  it('is not repeated after the platform may have deleted the job and its key', () => {
    const hour = 3_600_000;
    assert.equal(isKeyKept(0, {}, 23 * hour), true);
    assert.equal(isKeyKept(0, {}, 24 * hour), false);
    assert.equal(isKeyKept(0, { policy: { ttl: hour } }, hour), false);
  });
});
