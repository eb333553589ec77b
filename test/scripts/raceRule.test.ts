import assert from 'node:assert/strict';
import { problems } from './lintRule.ts';

describe('lint rule about races in tests', () => {
  const forbidden = {
    'test/platform/volumes.test.ts': [
      "await eventually('it writes', () => readFile(file, 'utf8').catch(() => undefined))",
      "await eventually('it writes', async () => (await readFile(file, 'utf8')).includes('x'))",
      "await eventually('it writes', () => existsSync(file))",
      "const text = () => readFile(file, 'utf8').catch(() => '')",
    ],
    'test/e2e/logs.test.ts': ['await editor.page.reload()'],
  };
  for (const [file, codes] of Object.entries(forbidden))
    for (const code of codes)
      it(`forbids ${code}`, async () => {
        assert.equal((await problems(file, code)).length, 1);
      });

  it('allows complete files, and files of the system', async () => {
    for (const code of [
      "const text = await readFile(file, 'utf8')",
      "await eventually('it writes', async () => (await completeLines(file))[0])",
      "const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')",
    ])
      assert.deepEqual(await problems('test/platform/volumes.test.ts', code), [], code);
  });
});
