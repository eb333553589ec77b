import assert from 'node:assert/strict';
import type { LogEvent } from '../../../../src/contract/workerLogs.ts';
import type { StoredJob } from '../../../../src/features/jobs/model/storedJob.ts';
import { jobWindow, linesOfJob } from '../../../../src/features/jobs/actions/readJobLog.ts';

const START = Date.parse('2026-01-01T10:00:00.000Z');
const at = (seconds: number, line: string, source: LogEvent['source'] = 'container'): LogEvent => ({
  source,
  line,
  ts: new Date(START + seconds * 1_000).toISOString(),
});
const sdk = (seconds: number, requestId: string | null, message: string) =>
  at(seconds, JSON.stringify({ requestId, message, level: 'INFO' }));

/** Waited from second 0 to 10, and ran until second 15. */
const job: StoredJob = {
  id: 'job-1',
  endpointId: 'e',
  endpointName: 'hello',
  submittedAt: START,
  status: 'COMPLETED',
  delayTime: 10_000,
  executionTime: 5_000,
  workerId: 'w',
};

const lines = (events: readonly LogEvent[], of = job) =>
  linesOfJob(events, of, START + 60_000).lines.map(({ line }) => line);

describe('Log lines of a job', () => {
  it('are those of its run time, if no line contains its ID', () => {
    const events = [at(1, 'loading'), at(10, 'greeting'), at(12, 'second 1'), at(14.9, 'done'), at(30, 'next job')];
    assert.deepEqual(lines(events), ['greeting', 'second 1', 'done']);
  });

  it('contain the lines with its ID at any time, and exclude lines with the ID of another job', () => {
    const events = [
      sdk(9, 'job-1', 'Started.'),
      sdk(11, 'job-2', 'Started.'),
      at(12, 'printed by a handler'),
      sdk(13, null, 'Jobs in progress: 2'),
      sdk(40, 'job-1', 'Finished.'),
      at(50, 'later'),
    ];
    assert.deepEqual(
      lines(events).map((line) => (line.startsWith('{') ? (JSON.parse(line) as { message: string }).message : line)),
      ['Started.', 'printed by a handler', 'Jobs in progress: 2', 'Finished.'],
    );
    assert.deepEqual(lines([at(40, 'INFO   | job-1 | text'), at(41, 'job-10 started')]), ['INFO   | job-1 | text']);
  });

  it('are those until now for a running job, and none for a job that no worker has taken', () => {
    const { executionTime, ...running } = { ...job, status: 'IN_PROGRESS' };
    assert.deepEqual(lines([at(11, 'a'), at(59, 'b'), at(70, 'c')], running), ['a', 'b']);
    assert.equal(jobWindow({ ...job, status: 'IN_QUEUE' }, START), undefined);
  });

  it('end when the editor saw the end of a job whose run time is not known', () => {
    const { executionTime, delayTime, ...unknown } = { ...job, endedAt: START + 20_000 };
    assert.deepEqual(jobWindow(unknown, START), { from: START, to: START + 20_000 });
    const { endedAt, ...nothing } = unknown;
    assert.equal(jobWindow(nothing, START), undefined);
  });

  it('tell whether they were found by ID, and whether the log starts too late', () => {
    assert.equal(linesOfJob([sdk(11, 'job-1', 'a')], job, START).byId, true);
    assert.equal(linesOfJob([at(11, 'a')], job, START).byId, false);
    assert.equal(linesOfJob([at(14, 'a')], job, START).startsLate, true);
    assert.equal(linesOfJob([at(2, 'a'), at(14, 'b')], job, START).startsLate, false);
  });

  it('keep a line whose timestamp is invalid only if it contains the ID', () => {
    const broken = (line: string): LogEvent => ({ source: 'container', line, ts: 'yesterday' });
    assert.deepEqual(lines([broken('plain'), broken('job-1 failed')]), ['job-1 failed']);
  });
});
