import assert from 'node:assert/strict';
import type { ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/client';
import type { ServerContext } from '@modelcontextprotocol/server';
import { changeTool, readTool, type ToolEffect } from '../../src/agents/actions/agentTool.ts';
import { canAsk, consentState, consentTo } from '../../src/cli/mcp/consent.ts';
import { toolDefinition } from '../../src/cli/mcp/toolServer.ts';
import { toolNamed } from '../agents/world.ts';

describe('The consent of a user', () => {
  const confirmation = { title: 'Run a job?', detail: 'Costs nothing.' };
  const call = { name: 'run_job', args: { endpoint: 'a' } };
  const context = (answer?: ElicitResult, state?: string) =>
    ({
      mcpReq: { ...(answer && { inputResponses: { consent: answer } }), requestState: () => state },
    }) as unknown as ServerContext;

  it('is asked for only if the client can show a form', () => {
    for (const [capabilities, expected] of [
      [undefined, false],
      [{}, false],
      [{ elicitation: {} }, true],
      [{ elicitation: { form: {} } }, true],
      [{ elicitation: { url: {} } }, false],
      [{ elicitation: { form: {}, url: {} } }, true],
    ] as const)
      assert.equal(canAsk(capabilities), expected, JSON.stringify(capabilities));
  });

  it('is an accepted form with the decision to allow, and nothing else', async () => {
    const asked = await consentTo(confirmation, call, context());
    assert.ok(typeof asked !== 'string' && asked.requestState !== undefined);
    const { consent: form } = asked.inputRequests ?? {};
    const { message, requestedSchema } = form?.params as unknown as ElicitRequestFormParams;
    assert.deepEqual([message, requestedSchema.type], ['Run a job?\n\nCosts nothing.', 'object']);
    const state = await consentState.verify(asked.requestState, context());
    for (const [answer, expected] of [
      [{ action: 'accept', content: { decision: 'allow' } }, 'yes'],
      [{ action: 'accept', content: { decision: 'deny' } }, 'no'],
      [{ action: 'accept' }, 'no'],
      [{ action: 'decline', content: { decision: 'allow' } }, 'no'],
      [{ action: 'cancel' }, 'no'],
    ] as const satisfies readonly (readonly [ElicitResult, string])[]) {
      assert.equal(await consentTo(confirmation, call, context(answer, state)), expected, JSON.stringify(answer));
      const other = { ...confirmation, detail: 'Costs $1.00.' };
      assert.equal(typeof (await consentTo(other, call, context(answer, state))), 'object', 'asks again');
    }
    assert.equal(typeof (await consentTo(confirmation, call, context(undefined, state))), 'object', 'asks again');
  });
});

describe('The hints of a tool for clients', () => {
  const { input, ...texts } = toolNamed('read_billing');
  const hintsOf = (effect: ToolEffect) => {
    const tool =
      effect === 'read'
        ? readTool({ ...texts, input, read: () => Promise.resolve({}) })
        : changeTool({ ...texts, input, effect, plan: () => assert.fail('not called') });
    const { title: _, ...hints } = toolDefinition(tool).annotations ?? {};
    return Object.entries(hints)
      .filter(([, value]) => value)
      .map(([name]) => name);
  };

  it('say if it changes nothing, deletes data, or can be repeated, and that it reads text of others', () => {
    assert.deepEqual(hintsOf('read'), ['readOnlyHint', 'idempotentHint', 'openWorldHint']);
    assert.deepEqual(hintsOf('run'), ['openWorldHint']);
    assert.deepEqual(hintsOf('change'), ['openWorldHint']);
    assert.deepEqual(hintsOf('destroy'), ['destructiveHint', 'idempotentHint', 'openWorldHint']);
  });
});
