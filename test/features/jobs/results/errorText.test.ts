import assert from 'node:assert/strict';
import { explanations, goneCode, errorText, hasTraceback } from '../../../../src/features/jobs/results/loadedJob.ts';

const error = JSON.stringify({
  error_type: "<class 'ValueError'>",
  error_message: 'no prompt',
  error_traceback:
    'Traceback (most recent call last):\n  File "/app/handler.py", line 3, in handler\nValueError: no prompt\n',
});
const job = { id: 'j1', status: 'FAILED', workerId: 'w1', executionTime: 1_200, delayTime: 300, error };

describe('Text of an error', () => {
  it('has the type, the message, the traceback, and the facts about the job', () => {
    assert.equal(
      errorText({ job, endpoint: 'hello', directory: '/home/hello' }),
      `ValueError: no prompt

Traceback (most recent call last):
  File "/app/handler.py", line 3, in handler
ValueError: no prompt

Job        j1
Endpoint   hello
Worker     w1
State      failed in 1.2 s after 300 ms in the queue
Directory  /home/hello
`,
    );
  });

  it('leaves out what is not known', () => {
    const text = errorText({ job: { id: 'j', status: 'TIMED_OUT' }, endpoint: 'e', directory: undefined });
    assert.equal(text, 'The job is timed out. It has no error.\n\nJob       j\nEndpoint  e\nState     timed out\n');
  });

  it('has no control characters', () => {
    const text = errorText({
      job: { ...job, error: '\u001b[31mred\u001b[0m\u202e\r\nsecond' },
      endpoint: 'e',
      directory: undefined,
    });
    assert.match(text, /^red\nsecond\n\n/);
  });

  it('is worth a document of its own if the error has several lines', () => {
    assert.ok(hasTraceback(error));
    assert.ok(hasTraceback('handler: bad \ntraceback: Traceback …'));
    assert.ok(hasTraceback('first\nsecond'));
    for (const short of ['bad input', '', undefined, '{"error_message":"x"}']) assert.ok(!hasTraceback(short));
  });
});

describe('Job that the platform no longer has', () => {
  const stored = { id: 'j', endpointId: 'e', endpointName: 'hello', submittedAt: 1, status: 'IN_QUEUE' };

  it('has expired, was removed from the queue, was lost, or is not known', () => {
    assert.equal(goneCode({ ...stored, status: 'COMPLETED' }), 'expired');
    assert.equal(goneCode(stored), 'removed');
    assert.equal(goneCode({ ...stored, status: 'IN_PROGRESS' }), 'lost');
    assert.equal(goneCode(undefined), 'unknown');
  });

  it('has an explanation in sentences', () => {
    for (const text of Object.values(explanations)) assert.match(text, /^[A-Z].*\.$/);
  });
});
