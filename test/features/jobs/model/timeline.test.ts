import assert from 'node:assert/strict';
import type { JobTrace, TraceSpan } from '../../../../src/contract/control/controlTraces.ts';
import { isLive, lifeOfJob, lifeOfTrace, totalOf } from '../../../../src/features/jobs/model/timeline/jobLife.ts';
import { jobWaterfall, timelineData } from '../../../../src/features/jobs/model/timeline/jobWaterfall.ts';
import { longestPart } from '../../../../src/features/jobs/model/timeline/longestPart.ts';
import { timelineText } from '../../../../src/features/jobs/model/timeline/timelineText.ts';

const T = Date.parse('2026-11-28T12:00:00Z');
const at = (ms: number) => new Date(T + ms).toISOString();
const span = (kind: TraceSpan['kind'], start: number, end?: number, more: Partial<TraceSpan> = {}): TraceSpan => ({
  ...{ kind, start: at(start), ...more },
  ...(end !== undefined && { end: at(end) }),
});

function trace(spans: readonly TraceSpan[], more: Partial<JobTrace> = {}): JobTrace {
  return {
    jobId: 'j',
    endpointId: 'e',
    status: 'COMPLETED',
    createdAt: at(0),
    finishedAt: at(10_000),
    spans: [...spans],
    ...more,
  };
}

const life = (spans: readonly TraceSpan[], more?: Partial<JobTrace>) => lifeOfTrace(trace(spans, more), T + 20_000);
const COLD = [
  span('queued', 0, 8_000),
  span('waitingForWorker', 0, 500),
  span('coldStart', 500, 8_000, { workerId: 'w1' }),
  span('pulling', 500, 2_000, { workerId: 'w1' }),
  span('pullingLayer', 500, 1_000, { workerId: 'w1', name: 'sha256:1', bytes: 2_048 }),
  span('loading', 2_000, 8_000, { workerId: 'w1' }),
  span('running', 8_000, 10_000, { workerId: 'w1', attempt: 1, outcome: 'ok' }),
];

describe('The timeline of a job', () => {
  const labels = (spans: readonly TraceSpan[]) =>
    jobWaterfall(life(spans)).rows.map(({ label, depth }) => [depth, label]);

  it('puts each span below the one that contains it', () => {
    assert.deepEqual(labels(COLD), [
      [0, 'In the queue'],
      [1, 'No worker started'],
      [1, 'Cold start'],
      [2, 'Pulling the image'],
      [3, 'Layer sha256:1'],
      [2, 'Loading until ready'],
      [0, 'Running'],
    ]);
  });

  it('puts a start that began before the job below its stay in the queue, and says so', () => {
    const { rows, from } = jobWaterfall(
      life([span('coldStart', -3_000, 1_000, { workerId: 'w' }), span('queued', 0, 1_000)]),
    );
    assert.deepEqual(
      rows.map(({ label, depth, note }) => [depth, label, note]),
      [
        [0, 'In the queue', undefined],
        [1, 'Cold start', 'began 3.0 s earlier'],
      ],
    );
    assert.equal(from, T);
  });

  it('numbers several attempts, and tells how and where each one ended', () => {
    const spans = [
      span('queued', 0, 1_000),
      span('running', 1_000, 2_000, { workerId: 'w1', attempt: 1, outcome: 'workerLost', reason: 'exit code 137' }),
      span('queued', 2_000, 3_000),
      span('waitingForBusyWorkers', 2_000, 3_000),
      span('running', 3_000, 10_000, { workerId: 'w2', attempt: 2, outcome: 'ok' }),
      span('webhook', 10_000, 11_000, { attempt: 2, outcome: 'failed', name: 'https://x.test', reason: '503' }),
    ];
    assert.deepEqual(
      jobWaterfall(life(spans)).rows.map(({ depth, label, tone, note }) => [depth, label, tone, note]),
      [
        [0, 'In the queue', 'waiting', undefined],
        [0, 'Attempt 1', 'failing', 'lost its worker · exit code 137 · w1'],
        [0, 'In the queue', 'waiting', undefined],
        [1, 'All workers busy', 'waiting', undefined],
        [0, 'Attempt 2', 'working', 'w2'],
        [0, 'Webhook https://x.test', 'failing', 'failed · delivery 2 · 503'],
      ],
    );
  });

  it('has the log lines of starts and attempts', () => {
    const logs = jobWaterfall(life(COLD)).rows.flatMap(({ label, log }) =>
      log ? [[label, log.workerId, log.from - T, (log.to ?? 0) - T]] : [],
    );
    assert.deepEqual(logs, [
      ['Cold start', 'w1', 500, 8_000],
      ['Loading until ready', 'w1', 2_000, 8_000],
      ['Running', 'w1', 8_000, 10_000],
    ]);
  });

  it('shows kinds of newer platforms as they are', () => {
    assert.deepEqual(labels([span('teleporting', 0, 1_000)]), [[0, 'teleporting']]);
  });

  it('shows kinds that are named like members of an object', () => {
    const { rows } = jobWaterfall(life([span('constructor', 0, 1_000)]));
    assert.deepEqual(
      rows.map(({ label, tone }) => [label, tone]),
      [['constructor', 'waiting']],
    );
  });

  it('is live until the job has ended and its webhooks are delivered', () => {
    assert.equal(isLive(life([span('queued', 0)], { status: 'IN_QUEUE', finishedAt: undefined })), true);
    assert.equal(isLive(life([...COLD, span('webhook', 10_000)])), true);
    assert.equal(isLive(life(COLD)), false);
  });

  it('reads as facts, a waterfall, and one sentence about what took longest', () => {
    const { text, lines, adviceLine } = timelineText(life(COLD), { endpointName: 'hello', width: 80 });
    const all = text.split('\n');
    assert.deepEqual(all.slice(0, 2), ['Job j of hello', 'Status: completed after 10 s']);
    assert.match(all[2] ?? '', /^Submitted: /);
    assert.equal(all[3], 'Worker: w1');
    for (const { number, labelStart, labelEnd } of lines)
      assert.match(all[number]?.slice(labelStart, labelEnd) ?? '', /^\S.*\S$/);
    assert.deepEqual(all.slice(adviceLine), [
      '75 % of the time was a cold start.',
      'A minimum number of workers avoids cold starts, and FlashBoot shortens them.',
      '',
    ]);
  });

  it('has no bars for screen readers', () => {
    const { text } = timelineText(life(COLD), { endpointName: 'hello', width: undefined });
    assert.match(text, /^ {2}Cold start: 7\.5 s$/m);
    assert.doesNotMatch(text, /[█▏▕▐]/u);
  });

  it('is bounded data for agents, with the layers and modules left out first', () => {
    const layers = Array.from({ length: 100 }, (_, index) =>
      span('pullingLayer', 500, 600, { workerId: 'w1', name: `l${index}` }),
    );
    const { isComplete, spans } = timelineData(life([...COLD, ...layers])) as {
      isComplete: boolean;
      spans: { kind: string }[];
    };
    assert.equal(isComplete, true);
    assert.deepEqual(
      spans.map(({ kind }) => kind),
      ['queued', 'waitingForWorker', 'coldStart', 'pulling', 'loading', 'running'],
    );
    const [first] = (timelineData(life(COLD)) as { spans: object[] }).spans;
    assert.deepEqual(first, { depth: 0, kind: 'queued', startMs: 0, durationMs: 8_000 });
  });
});

describe('The part of a job that stands out', () => {
  const part = (spans: readonly TraceSpan[], more?: Partial<JobTrace>) => longestPart(life(spans, more)).join(' ');

  it('is named if it took at least half of the time', () => {
    assert.match(part([span('waitingForGpus', 0, 5_000)]), /^For 50 % of the time, the worker waited for GPUs\./);
    assert.equal(part([span('waitingForGpus', 0, 4_900)]), '');
    assert.equal(part([span('queued', 0, 100), span('running', 100, 10_000)]), '');
  });

  it('is the most specific one', () => {
    assert.match(
      part([span('queued', 0, 9_000), span('coldStart', 0, 9_000), span('pulling', 0, 8_000)]),
      /^80 % .* pulling the image/,
    );
  });

  it('counts no time twice, and none before the job', () => {
    const spans = [span('coldStart', -9_000, 3_000, { workerId: 'a' }), span('coldStart', 0, 3_000, { workerId: 'b' })];
    assert.equal(part(spans), '');
  });

  it('is not named for a job of less than a second', () => {
    assert.equal(part([span('coldStart', 0, 900)], { finishedAt: at(900) }), '');
  });
});

describe('The timeline of a job whose platform records no traces', () => {
  const job = { id: 'j', submittedAt: T as number | undefined, status: 'COMPLETED', workerId: 'w' };

  it('has the times that the job tells', () => {
    const known = lifeOfJob({ ...job, delayTime: 3_000, executionTime: 1_000 }, T + 9_000, 'reported');
    assert.equal(totalOf(known), 4_000);
    const { text } = timelineText(known, { endpointName: 'hello', width: 80 });
    assert.match(text, /^In the queue +3\.0 s /m);
    assert.match(text, /^Running +1\.0 s /m);
    assert.match(text, /^This platform reports only the time of the job in the queue and its run time\.$/m);
    assert.match(text, /^75 % of the time was in the queue\.$/m);
  });

  it('invents no time', () => {
    const spans = (more: object) =>
      lifeOfJob({ ...job, ...more }, T + 9_000, 'reported').spans.map(({ kind, end }) => [kind, end]);
    assert.deepEqual(spans({}), []);
    assert.deepEqual(spans({ status: 'CANCELLED' }), []);
    assert.deepEqual(spans({ status: 'IN_QUEUE' }), [['queued', undefined]]);
    assert.deepEqual(spans({ status: 'IN_PROGRESS', delayTime: 10 }), [
      ['queued', T + 10],
      ['running', undefined],
    ]);
    assert.deepEqual(spans({ status: 'IN_QUEUE', submittedAt: undefined }), []);
    assert.equal(totalOf(lifeOfJob(job, T + 9_000, 'reported')), undefined);
  });

  it('does not name the time of a submission elsewhere', () => {
    const known = lifeOfJob({ ...job, submittedAt: undefined, delayTime: 3_000, executionTime: 1_000 }, T, 'reported');
    const { text, lines } = timelineText(known, { endpointName: 'hello', width: 80 });
    assert.doesNotMatch(text, /Submitted/);
    assert.match(text, /completed after 4\.0 s/);
    assert.deepEqual(
      lines.map(({ log }) => log),
      [undefined, undefined],
    );
  });

  it('has ended if the platform no longer has the job', () => {
    const gone = lifeOfJob({ ...job, status: 'IN_PROGRESS', delayTime: 10 }, T + 9_000, 'gone');
    assert.equal(isLive(gone), false);
    assert.match(timelineText(gone, { endpointName: 'hello', width: 80 }).text, /The platform no longer has the job/);
  });
});
