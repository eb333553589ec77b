import assert from 'node:assert/strict';
import type { Job } from '../../src/contract/job.ts';
import type { WorkerSummary } from '../../src/contract/worker.ts';
import {
  ago,
  errorMessage,
  oneLine,
  outcomeOf,
  progressWords,
  statusIcon,
  statusWords,
  timesWords,
  type JobProgress,
} from '../../src/account/jobWords.ts';

const none: WorkerSummary = { running: 0, idle: 0, initializing: 0, throttled: 0, unhealthy: 0, total: 0 };
const job = (change: Partial<Job>): Job => ({ id: 'j', status: 'IN_QUEUE', ...change });

describe('Progress of a job', () => {
  const words = (change: Partial<JobProgress>) =>
    progressWords({ job: job({}), elapsedMs: 3_400, workers: none, maxWorkers: 3, ...change }).text;

  it('gives the reason for waiting', () => {
    assert.equal(words({ workers: undefined }), '3 s · waiting for a worker');
    assert.equal(words({}), '3 s · waiting for a worker to start');
    assert.equal(words({ workers: { ...none, initializing: 1 } }), '3 s · waiting for a worker: 1 initializing');
    assert.equal(
      words({ workers: { ...none, running: 2, throttled: 1 } }),
      '3 s · waiting for a worker: 1 throttled, 2 busy',
    );
    assert.equal(words({ workers: { ...none, unhealthy: 1 } }), '3 s · waiting: 1 unhealthy, see the worker log');
    assert.equal(words({ maxWorkers: 0 }), '3 s · waiting: the endpoint is paused (no workers allowed)');
  });

  it('contains the worker and its progress report in one line', () => {
    const running = job({ status: 'IN_PROGRESS', workerId: 'w1' });
    assert.equal(words({ job: running, elapsedMs: 125_000 }), '2 min 5 s · running on w1');
    assert.equal(words({ job: { ...running, output: 'step\n 1' } }), '3 s · running on w1: step 1');
    for (const output of [50, 49.6, 0.5, { percent: 50 }, { percentage: 50 }])
      assert.equal(words({ job: { ...running, output } }), '3 s · running on w1: 50 %');
    for (const output of [1, 1_200, { step: 2 }])
      assert.equal(words({ job: { ...running, output } }), `3 s · running on w1: ${JSON.stringify(output)}`);
    assert.equal(words({ job: { ...running, output: 'x'.repeat(200) } }), `3 s · running on w1: ${'x'.repeat(59)}…`);
  });

  it('contains the length of the queue if other jobs wait too', () => {
    assert.equal(words({ inQueue: 1 }), '3 s · waiting for a worker to start');
    assert.equal(words({ inQueue: 4 }), '3 s · waiting for a worker to start · 4 jobs in the queue');
  });

  it('counts the time in the queue and the execution time separately', () => {
    const running = job({ status: 'IN_PROGRESS', workerId: 'w1' });
    assert.equal(
      words({ job: running, elapsedMs: 125_000, queuedMs: 65_000, inQueue: 9 }),
      '1 min 0 s after 1 min 5 s in the queue · running on w1',
    );
    assert.equal(words({ job: running, queuedMs: 400 }), '3 s · running on w1');
  });

  it('contains an unknown status in lowercase', () => {
    assert.equal(words({ job: job({ status: 'BEING_MOVED' }) }), '3 s · being moved');
  });
});

describe('Worker error', () => {
  it('is parsed from the JSON that the SDK writes', () => {
    const error = JSON.stringify({
      error_type: "<class 'ValueError'>",
      error_message: 'no prompt\ngiven',
      error_traceback: 'Traceback …',
      hostname: 'h',
    });
    assert.equal(errorMessage(error), 'ValueError: no prompt given');
    assert.equal(
      errorMessage(error.replace("<class 'ValueError'>", "<class 'torch.cuda.OutOfMemoryError'>")),
      'torch.cuda.OutOfMemoryError: no prompt given',
    );
  });

  it('is parsed from the two lines that the SDK writes for a generator', () => {
    assert.equal(errorMessage('handler: no prompt \ntraceback: Traceback (most …'), 'no prompt');
  });

  it('is shown as is for any other text', () => {
    assert.equal(errorMessage('out of memory'), 'out of memory');
    assert.equal(errorMessage('{"code": 7}'), '{"code": 7}');
    assert.equal(errorMessage('7'), '7');
    for (const nothing of [undefined, '', null]) assert.equal(errorMessage(nothing), 'the worker gave no reason.');
  });
});

describe('Outcome of a job', () => {
  const outcome = (change: Partial<Job>) => outcomeOf(job(change), 'hello');

  it('needs no notification for a job with an output', () => {
    assert.equal(outcome({ status: 'COMPLETED', output: { a: 1 } }), undefined);
    assert.equal(outcome({ status: 'COMPLETED', output: false }), undefined);
  });

  it('warns about a missing output', () => {
    assert.equal(outcome({ status: 'COMPLETED' })?.severity, 'warning');
    assert.match(outcome({ status: 'COMPLETED', output: null })?.message.text ?? '', /without an output/);
  });

  it('reports failures with their reasons', () => {
    const failure = outcome({ status: 'FAILED', workerId: 'w1', error: 'no prompt' });
    assert.equal(failure?.severity, 'error');
    assert.equal(failure.message.text, 'The job on “hello” failed: no prompt');
    assert.match(outcome({ status: 'TIMED_OUT' })?.message.text ?? '', /timed out: no worker took it/);
    assert.match(
      outcome({ status: 'TIMED_OUT', workerId: 'w1', executionTime: 5_000 })?.message.text ?? '',
      /it exceeded the endpoint's timeout on worker w1 after 5 s/,
    );
    assert.equal(outcome({ status: 'CANCELLED' })?.message.text, 'The job on “hello” was canceled.');
  });

  it('contains the times of the job', () => {
    assert.equal(
      timesWords(job({ status: 'COMPLETED', executionTime: 1_234, delayTime: 65_000 })),
      'completed in 1.2 s after 1 min 5 s in the queue',
    );
    assert.equal(timesWords(job({ status: 'COMPLETED', executionTime: 100, delayTime: 5 })), 'completed in 100 ms');
    assert.equal(timesWords(job({ status: 'CANCELLED' })), 'canceled');
  });

  it('contains the age of the job', () => {
    const minute = 60_000;
    assert.deepEqual([0, 5 * minute, 180 * minute, 26 * 60 * minute, 50 * 60 * minute].map(ago), [
      'just now',
      '5 min ago',
      '3 h ago',
      'yesterday',
      '2 days ago',
    ]);
  });
});

describe('Value on one line', () => {
  it('is an ellipsis if it is nested too deeply for JSON.stringify', () => {
    const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    assert.equal(oneLine(deep, 60), '…');
  });
});

describe('Unknown status', () => {
  for (const status of ['constructor', '__proto__', 'toString'])
    it(`is shown in lowercase: ${status}`, () => {
      assert.equal(statusWords(status), status.toLowerCase().replaceAll('_', ' '));
      assert.equal(statusIcon(status), 'question');
    });
});
