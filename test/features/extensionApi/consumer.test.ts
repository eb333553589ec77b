import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { repository } from '../../platform/support.ts';

/** The types of the API, copied into another extension that lacks the types of this repository. */
describe('The types of the API for other extensions', function () {
  // The compiler reads the types of VS Code.
  this.timeout(60_000);
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-consumer-'));
    await copyFile(path.join(repository, 'src/api/cloudCompute.d.ts'), path.join(folder, 'cloudCompute.d.ts'));
    await symlink(path.join(repository, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Compiles the source of an extension. Returns the messages of the compiler. */
  async function problems(source: string, module: ts.ModuleKind): Promise<readonly string[]> {
    const file = path.join(folder, 'extension.ts');
    await writeFile(file, source);
    const program = ts.createProgram([file], {
      ...{ module, moduleResolution: ts.ModuleResolutionKind.Bundler, target: ts.ScriptTarget.ES2022 },
      ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: false },
      ...{ types: ['vscode', 'node'], typeRoots: [path.join(folder, 'node_modules/@types')] },
    });
    return ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  }

  it('compile with the example of the documentation', async () => {
    const page = await readFile(path.join(repository, 'docs/extension-api.md'), 'utf8');
    const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
    assert.match(example, /getApi\(1\)/);
    assert.deepEqual(await problems(example, ts.ModuleKind.ESNext), []);
  });

  it('reject a job without the name of the extension', async () => {
    const source = `import type { CloudComputeApi } from './cloudCompute';
      export const run = (api: CloudComputeApi) => api.jobs.submit({ endpointId: 'a', input: {} });`;
    const [problem, ...others] = await problems(source, ts.ModuleKind.ESNext);
    assert.match(problem ?? '', /Property 'requester' is missing/);
    assert.deepEqual(others, []);
  });

  it('contain no key', async () => {
    const text = await readFile(path.join(repository, 'src/api/cloudCompute.d.ts'), 'utf8');
    assert.doesNotMatch(text, /readonly (apiKey|key|token|secret)\b/);
  });
});
