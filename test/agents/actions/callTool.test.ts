import assert from 'node:assert/strict';
import * as z from 'zod';
import {
  changeTool,
  type Confirmation,
  type Question,
  type ToolContext,
} from '../../../src/agents/actions/agentTool.ts';
import { callTool, previewTool, type ToolOutcome } from '../../../src/agents/actions/callTool.ts';
import { ApiError } from '../../../src/client/apiError.ts';
import { systemClock } from '../../../src/client/clock.ts';

/* Each call of a tool, with a tool and a caller that do nothing else. */

const QUESTION: Question = { title: 'Write the file?', lines: ['notes.txt', '4 bytes'] };
const CONFIRMATION: Confirmation = { title: 'Write the file?', detail: 'notes.txt\n4 bytes' };

const unused = () => assert.fail('The call used a part of its context that it does not need.');

function contextWith(changes: Partial<ToolContext> = {}): ToolContext {
  return {
    connection: unused,
    files: { find: unused, read: unused, create: unused },
    localPlatform: { isRunning: false, start: unused, control: unused },
    values: undefined,
    secrets: () => Promise.resolve([]),
    clock: systemClock,
    signal: new AbortController().signal,
    report: unused,
    ...changes,
  };
}

/** A tool that asks, and counts how often it acts. */
function writingTool({
  onPlan,
  act = () => Promise.resolve({ written: true }),
}: { onPlan?: () => void; act?: () => Promise<object> } = {}) {
  const counts = { plans: 0, acts: 0 };
  const tool = changeTool({
    ...{
      name: 'write_file',
      title: 'Write File',
      summary: 'Writes a file.',
      icon: 'edit',
      description: 'Writes a file.',
    },
    input: z.strictObject({ size: z.number().optional() }),
    commands: [],
    effect: 'change',
    progress: () => 'Writing the file',
    plan: () => {
      counts.plans += 1;
      onPlan?.();
      return Promise.resolve({
        question: QUESTION,
        act: () => {
          counts.acts += 1;
          return act();
        },
      });
    },
  });
  return { tool, counts };
}

const codeOf = ({ isError, value }: ToolOutcome) => {
  assert.ok(isError);
  return (value as { error: { code: string } }).error.code;
};

describe('A call of a tool', () => {
  it('asks nothing if it is canceled while the tool reads what it will do', async () => {
    const abort = new AbortController();
    const { tool, counts } = writingTool({ onPlan: () => abort.abort() });
    const outcome = await callTool(tool, {}, contextWith({ signal: abort.signal }), { agree: unused });
    assert.equal(codeOf(outcome), 'canceled');
    assert.equal(counts.acts, 0);
  });

  it('does nothing if it is canceled while the user is asked', async () => {
    const abort = new AbortController();
    const { tool, counts } = writingTool();
    const agree = () => {
      abort.abort();
      return Promise.resolve(true);
    };
    const outcome = await callTool(tool, {}, contextWith({ signal: abort.signal }), { agree });
    assert.equal(codeOf(outcome), 'canceled');
    assert.equal(counts.acts, 0);
  });

  it('runs if it still does what the user agreed to before', async () => {
    const { tool, counts } = writingTool();
    const outcome = await callTool(tool, {}, contextWith(), { agreed: CONFIRMATION });
    assert.deepEqual(outcome, { isError: false, value: { written: true }, text: '{"written":true}' });
    assert.deepEqual(counts, { plans: 1, acts: 1 });
  });

  for (const [name, agreed] of [
    ['nothing', 'nothing'],
    ['another title', { ...CONFIRMATION, title: 'Read the file?' }],
    ['another detail', { ...CONFIRMATION, detail: 'other.txt\n4 bytes' }],
    ['another content', { ...CONFIRMATION, content: 'more' }],
  ] as const)
    it(`is refused if the user agreed to ${name} before`, async () => {
      const { tool, counts } = writingTool();
      assert.equal(codeOf(await callTool(tool, {}, contextWith(), { agreed })), 'changed');
      assert.equal(counts.acts, 0);
    });

  for (const [name, jobId] of [
    ['names the job that runs although it was canceled', 'job-1'],
    ['names no job if it was canceled before one ran', undefined],
  ] as const)
    it(name, async () => {
      const abort = new AbortController();
      const act = () => {
        abort.abort();
        return Promise.reject(new ApiError('network', 'The connection was lost.', { operation: 'runJob', jobId }));
      };
      const { tool } = writingTool({ act });
      const outcome = await callTool(tool, {}, contextWith({ signal: abort.signal }));
      assert.equal(codeOf(outcome), 'canceled');
      const { error } = outcome.value as { error: object };
      assert.deepEqual(Object.keys(error), ['code', 'message', 'remedy', ...(jobId === undefined ? [] : ['jobId'])]);
      assert.equal((error as { jobId?: string }).jobId, jobId);
    });
});

describe('The preview of a call', () => {
  it('is the question and the progress, and changes nothing', async () => {
    const { tool, counts } = writingTool();
    const preview = await previewTool(tool, {}, contextWith());
    assert.deepEqual(preview, { confirmation: CONFIRMATION, progress: 'Writing the file' });
    assert.equal(counts.acts, 0);
  });

  it('is the failure of a call that would fail', async () => {
    const { tool } = writingTool();
    const preview = await previewTool(tool, { size: 'large' }, contextWith());
    assert.ok('failed' in preview);
    assert.equal(codeOf(preview.failed), 'invalidInput');
  });

  it('accepts a call without arguments, and names only fields that are wrong', async () => {
    const { tool } = writingTool();
    assert.ok('confirmation' in (await previewTool(tool, undefined, contextWith())));
    const preview = await previewTool(tool, 'text', contextWith());
    assert.ok('failed' in preview);
    const { error } = preview.failed.value as { error: { message: string } };
    assert.match(error.message, /^Invalid input/);
  });
});
