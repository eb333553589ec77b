import assert from 'node:assert/strict';
import { json } from '../../../client/scriptedServer.ts';
import { endpointBody } from '../../../platform/support.ts';
import { scriptedTools } from '../../scriptedTools.ts';

interface Problem {
  readonly code: string;
  readonly message: string;
  readonly fixes?: readonly { readonly title: string }[];
}

/** Validates a manifest without a catalog of hardware. */
async function validated(manifest: object | string) {
  await using tools = await scriptedTools({}, (_, response) =>
    json(response, 404, { title: 'Not Found', status: 404 }, 'application/problem+json'),
  );
  const { error, ...result } = await tools.call('validate_manifest', {
    text: typeof manifest === 'string' ? manifest : JSON.stringify(manifest),
  });
  assert.equal(error, undefined);
  return { ...result, problems: result['problems'] as readonly Problem[] } as typeof result & {
    problems: readonly Problem[];
  };
}

describe('The validation of a manifest', () => {
  const valid = endpointBody({ name: 'a' });
  const key = 'q9Zk2VbT7wXc4RmN8sLd';

  it('has 100 problems and the number of the others', async () => {
    const { problems } = await validated({ ...valid, cmd: Array.from({ length: 103 }, () => 0) });
    assert.deepEqual([problems.length, problems.at(-1)?.message], [101, 'Problems that are not shown: 3']);
  });

  it('has the fixes of a problem, and the text with the preferred ones, only if there are any', async () => {
    const fixesOf = async (manifest: object | string) => {
      const { problems, textWithPreferredFixes } = await validated(manifest);
      return [problems.map(({ fixes }) => fixes?.length), textWithPreferredFixes];
    };
    assert.deepEqual(await fixesOf(valid), [[], undefined]);
    assert.deepEqual(await fixesOf('{'), [[undefined], undefined]);
    assert.deepEqual(await fixesOf({ ...valid, surprise: 1 }), [[1], JSON.stringify(valid)]);
    // Only the user can choose one of these.
    assert.deepEqual(await fixesOf({ ...valid, workers: { min: 3, max: 1 } }), [[2], undefined]);
  });

  it('has a warning instead of a text if the manifest contains keys', async () => {
    const members = async (env: unknown) => {
      const result = await validated({ ...valid, type: 'QEUE', env });
      assert.doesNotMatch(JSON.stringify(result), new RegExp(key));
      return ['warning', 'textWithPreferredFixes'].filter((member) => member in result);
    };
    assert.deepEqual(await members({ API_KEY: key }), ['warning']);
    for (const env of [{ API_KEY: '${secret:KEY}' }, { API_KEY: 4 }, {}, undefined, 'text'])
      assert.deepEqual(await members(env), ['textWithPreferredFixes'], JSON.stringify(env));
  });
});
