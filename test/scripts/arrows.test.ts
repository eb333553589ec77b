import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cruise, type ICruiseOptions, type ICruiseResult, type IFlattenedRuleSet } from 'dependency-cruiser';

const { forbidden, options } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
  readonly forbidden: NonNullable<IFlattenedRuleSet['forbidden']>;
  readonly options: ICruiseOptions;
};

/** Files that the tested code imports. */
const TARGETS = {
  'src/contract/billing.ts': 'export const Response = 1; export interface Record {}',
  'src/webviews/billing/messages.ts': 'export const value = 1; export interface View {}',
  'src/webviews/billing/words.ts': 'export interface Words {}',
  'src/kit/errors.ts': `import * as vscode from 'vscode'; export const error = vscode;`,
  'src/kit/poller.ts': 'export const poller = 1;',
  'src/features/logs/actions/read.ts': 'export const read = 1;',
  'src/features/logs/view.ts': 'export const view = 1;',
  'src/features/logs/model/words.ts': `import { error } from '../../../kit/errors.ts'; export const words = error;`,
  'src/features/logs/index.ts': 'export const logs = 1;',
  'src/features/spend/index.ts': 'export const spend = 1;',
  'src/client/client.ts': 'export const client = 1;',
};

describe('lint rule about imports', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-arrows-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  /** Resolves with the names of the project's rules that the code breaks in this file. */
  async function brokenRules(file: string, code: string): Promise<string[]> {
    for (const [name, content] of Object.entries({ ...TARGETS, [file]: code })) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
      await writeFile(path.join(folder, name), content);
    }
    const { output } = await cruise(['src'], { ...options, baseDir: folder, validate: true, ruleSet: { forbidden } });
    const { violations } = (output as ICruiseResult).summary;
    return violations.filter(({ from }) => from === file).map(({ rule }) => rule.name);
  }

  const feature = 'src/features/spend/billing/billingStore.ts';
  const page = 'src/webviews/billing/page.ts';
  const action = 'src/features/endpoints/actions/deleteEndpoints.ts';
  const nestedAction = 'src/features/jobs/expectations/actions/run.ts';
  const program = 'src/cli/main.ts';

  for (const [what, file, code] of [
    [
      'the messages of a webview in a feature',
      feature,
      `import { value, type View } from '../../../webviews/billing/messages.ts'; export type Shown = View; export const used = value;`,
    ],
    [
      'types of the contract in a webview',
      page,
      `import type { Record } from '../../contract/billing.ts'; export type Row = Record;`,
    ],
    [
      'an adapter without the editor in an action',
      action,
      `import { poller } from '../../../kit/poller.ts'; export const used = poller;`,
    ],
    [
      'the index of a feature below',
      'src/features/jobs/view.ts',
      `import { logs } from '../logs/index.ts'; export const used = logs;`,
    ],
    [
      'an action in the command line program',
      program,
      `import { read } from '../features/logs/actions/read.ts'; export const used = read;`,
    ],
  ] as const)
    it(`allows ${what}`, async () => assert.deepEqual(await brokenRules(file, code), []));

  for (const [what, file, code, rule] of [
    [
      'types from another file of a webview in a feature',
      feature,
      `import type { Words } from '../../../webviews/billing/words.ts'; export type Used = Words;`,
      'features-import-only-messages-of-webviews',
    ],
    [
      'values of the contract in a webview',
      page,
      `import { Response } from '../../contract/billing.ts'; export const used = Response;`,
      'webviews-import-only-types-of-contract',
    ],
    [
      'the inside of another feature',
      'src/features/jobs/view.ts',
      `import { view } from '../logs/view.ts'; export const used = view;`,
      'features-have-doors',
    ],
    [
      'a feature above',
      'src/features/jobs/view.ts',
      `import { spend } from '../spend/index.ts'; export const used = spend;`,
      'feature-jobs-imports-only-logs-manifest',
    ],
    [
      'requests in an adapter',
      'src/kit/views.ts',
      `import { client } from '../client/client.ts'; export const used = client;`,
      'kit-imports-only-clocks-and-errors-of-client',
    ],
    [
      'the editor in an action',
      action,
      `import * as vscode from 'vscode'; export const used = vscode;`,
      'actions-and-models-do-not-import-vscode',
    ],
    [
      'a file that imports the editor in an action',
      action,
      `import { error } from '../../../kit/errors.ts'; export const used = error;`,
      'actions-and-models-do-not-import-vscode',
    ],
    [
      'the editor in an action of a part of a feature',
      nestedAction,
      `import * as vscode from 'vscode'; export const used = vscode;`,
      'actions-and-models-do-not-import-vscode',
    ],
    [
      'another file of a feature in the command line program',
      program,
      `import { view } from '../features/logs/view.ts'; export const used = view;`,
      'agents-and-cli-use-actions',
    ],
    [
      'a model that imports the editor in the command line program',
      program,
      `import { words } from '../features/logs/model/words.ts'; export const used = words;`,
      'cli-does-not-import-vscode',
    ],
  ] as const)
    it(`forbids ${what}`, async () => assert.deepEqual(await brokenRules(file, code), [rule]));
});
