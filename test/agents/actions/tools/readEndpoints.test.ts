import assert from 'node:assert/strict';
import { json } from '../../../client/scriptedServer.ts';
import { health, workers } from '../../../features/endpoints/sample.ts';
import { scriptedTools } from '../../scriptedTools.ts';

describe('The explanation of an endpoint', () => {
  it('suggests fewer workers on a local platform, and other hardware on a hosted one', async () => {
    await using tools = await scriptedTools({}, ({ path }, response) =>
      json(response, 200, path.includes('/workers') ? workers('THROTTLED') : health({ inQueue: 1 })),
    );
    for (const [isLocal, expected] of [
      [true, ['scale_endpoint']],
      [false, ['estimate_costs', 'deploy_endpoint']],
    ] as const) {
      const connection = () => ({ ...tools.context.connection(), isLocal });
      const { cause, nextSteps } = await tools.call('read_endpoints', { endpoint: 'e' }, { connection });
      assert.equal(cause, 'throttled');
      assert.deepEqual(
        (nextSteps as { readonly tool: string }[]).map(({ tool }) => tool),
        expected,
      );
    }
  });
});
