import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CommandId } from '../../src/kit/commandIds.ts';
import { AGENT_TOOLS } from '../../src/agents/actions/tools/index.ts';
import { repository } from '../platform/support.ts';

/**
 * Why a command has no tool.
 *
 * - `view`: it shows or arranges something in the editor.
 * - `copy`: it puts a text on the clipboard.
 * - `edit`: it edits a text, which agents do with the tools of the editor.
 * - `history`: it changes only the records of this editor.
 * - `session`: it changes connections, keys, or settings, which belong to the user.
 * - `change`: it changes a platform or sends something. Each has a reason.
 */
type Kind = 'view' | 'copy' | 'edit' | 'history' | 'session' | 'change';

const withoutTool: Readonly<Partial<Record<CommandId, Kind | readonly ['change', reason: string]>>> = {
  'cloudCompute.showLog': 'view',
  'cloudCompute.walkthrough.open': 'view',
  'cloudCompute.sample.try': [
    'change',
    'It introduces the extension to the user. Agents have a tool for each of its steps.',
  ],
  'cloudCompute.develop.debugMatchingJob': 'view',
  'cloudCompute.develop.debugWorker': 'view',
  'cloudCompute.develop.openTerminal': 'view',
  'cloudCompute.develop.installDebugpy': [
    'change',
    'It runs pip in a terminal of the editor. Agents have a terminal of their own.',
  ],
  'cloudCompute.connect': 'session',
  'cloudCompute.connections.switch': 'session',
  'cloudCompute.connections.manage': 'session',
  'cloudCompute.connections.replaceKey': 'session',
  'cloudCompute.localPlatform.stop': ['change', 'It ends the workers and jobs of all windows of the user.'],
  'cloudCompute.localPlatform.restart': ['change', 'It ends the workers and jobs of all windows of the user.'],
  'cloudCompute.localPlatform.reset': ['change', 'It deletes all local data, which cannot be undone.'],
  'cloudCompute.localPlatform.showDataFolder': 'view',
  'cloudCompute.localPlatform.chooseEngine': 'session',
  'cloudCompute.localPlatform.pullImage': [
    'change',
    'It can load gigabytes. A worker pulls its image itself, and its state has the progress.',
  ],
  'cloudCompute.localPlatform.removeUnusedImages': [
    'change',
    'A removed image takes a long time to load again, and can be gone from its registry.',
  ],
  'cloudCompute.agents.copyMcpConfiguration': 'copy',
  'cloudCompute.images.copyUrl': 'copy',
  'cloudCompute.images.copyCurl': 'copy',
  'cloudCompute.chatModels.add': 'session',
  'cloudCompute.chatModels.remove': 'session',
  'cloudCompute.resources.refresh': 'view',
  'cloudCompute.resources.copyId': 'copy',
  'cloudCompute.registries.create': ['change', 'It needs a password, which must not pass through a model.'],
  'cloudCompute.registries.delete': [
    'change',
    'Other endpoints and users of the account can depend on the credential.',
  ],
  'cloudCompute.volumes.create': ['change', 'Its cost accrues until a user deletes it.'],
  'cloudCompute.volumes.resize': ['change', 'It raises a cost, and a volume cannot shrink.'],
  'cloudCompute.volumes.rename': ['change', 'Other users of the account know the volume by its name.'],
  'cloudCompute.volumes.delete': ['change', 'It deletes files that no other place may have.'],
  'cloudCompute.volumes.upload': [
    'change',
    'It can replace files that workers read. Agents have programs for S3 in their terminal.',
  ],
  'cloudCompute.volumes.download': 'edit',
  'cloudCompute.endpoints.rollBack': [
    'change',
    'The user decides which release was good. An agent deploys the manifest of an earlier commit.',
  ],
  'cloudCompute.endpoints.runWithoutGpus': 'edit',
  'cloudCompute.endpoints.showMetrics': 'view',
  'cloudCompute.endpoints.showStart': 'view',
  'cloudCompute.endpoints.xRayStart': ['change', 'It starts a further worker, which takes room from other workers.'],
  'cloudCompute.endpoints.copyId': 'copy',
  'cloudCompute.endpoints.openInBrowser': 'view',
  'cloudCompute.endpoints.clearFilter': 'view',
  'cloudCompute.endpoints.addFavorite': 'view',
  'cloudCompute.endpoints.removeFavorite': 'view',
  'cloudCompute.manifest.newFile': 'edit',
  'cloudCompute.manifest.newWorker': 'edit',
  'cloudCompute.manifest.makeEndpoint': 'edit',
  'cloudCompute.manifest.pull': 'edit',
  'cloudCompute.manifest.addCiWorkflow': 'edit',
  'cloudCompute.safety.check': [
    'change',
    'It runs workers of the user. Agents run cloud-compute retry-safety in a terminal.',
  ],
  'cloudCompute.manifest.build': ['change', 'It runs a program of the user. Agents have a terminal of their own.'],
  'cloudCompute.manifest.buildAndPush': [
    'change',
    'It publishes an image with the login of the user. Agents have a terminal of their own.',
  ],
  'cloudCompute.manifest.link': 'history',
  'cloudCompute.manifest.unlink': 'history',
  'cloudCompute.manifest.chooseEnvironment': 'session',
  'cloudCompute.secrets.add': 'session',
  'cloudCompute.secrets.manage': 'session',
  'cloudCompute.jobs.newFile': 'edit',
  'cloudCompute.jobs.insertFile': 'edit',
  'cloudCompute.jobs.purgeQueue': [
    'change',
    'It deletes the waiting jobs of all users of the endpoint. cancel_job cancels single ones.',
  ],
  'cloudCompute.jobs.refresh': 'view',
  'cloudCompute.jobs.filter': 'view',
  'cloudCompute.jobs.clearFilter': 'view',
  'cloudCompute.jobs.openRequest': 'view',
  'cloudCompute.jobs.replay': [
    'change',
    'It asks for secret values, which must not pass through a model. Agents run "cloud-compute replay" in their terminal.',
  ],
  'cloudCompute.jobs.compare': 'view',
  'cloudCompute.jobs.openForm': 'view',
  'cloudCompute.jobs.editAsJson': 'view',
  'cloudCompute.jobs.copyId': 'copy',
  'cloudCompute.jobs.remove': 'history',
  'cloudCompute.jobs.clear': 'history',
  'cloudCompute.jobs.saveOutput': 'edit',
  'cloudCompute.jobs.openImages': 'view',
  'cloudCompute.batch.run': ['change', 'One question cannot cover thousands of paid jobs. The user starts a batch.'],
  'cloudCompute.gate.keepJob': ['change', 'The user decides which values of a job a repository may have.'],
  'cloudCompute.gate.run': [
    'change',
    'It runs two versions of a worker. Agents have cloud-compute gate in their terminal, and deploy_endpoint needs its verdict.',
  ],
  'cloudCompute.load.run': ['change', 'One question cannot cover thousands of paid jobs. The user starts a load test.'],
  'cloudCompute.endpoints.tune': [
    'change',
    'It shows a page on which the user decides. Agents run the command tune in their terminal.',
  ],
  'cloudCompute.batch.manage': ['change', 'It resumes, cancels, and retries batches, which the user starts.'],
  'cloudCompute.routes.newFile': 'edit',
  'cloudCompute.copyAs': 'copy',
  'cloudCompute.routes.cancel': ['change', 'It cancels requests of the editor. A tool ends with its own call.'],
  'cloudCompute.routes.sendMessage': ['change', 'An open WebSocket belongs to an editor, and a call of a tool ends.'],
  'cloudCompute.routes.closeSocket': ['change', 'An open WebSocket belongs to an editor, and a call of a tool ends.'],
  'cloudCompute.routes.openResponse': 'view',
  'cloudCompute.routes.openRequest': 'view',
  'cloudCompute.routes.saveBody': 'edit',
  'cloudCompute.routes.remove': 'history',
  'cloudCompute.routes.clear': 'history',
  'cloudCompute.logs.stop': 'view',
  'cloudCompute.logs.resume': 'view',
  'cloudCompute.logs.clear': 'view',
  'cloudCompute.logs.options': 'view',
  'cloudCompute.fullLog.oldestPage': 'view',
  'cloudCompute.fullLog.olderPage': 'view',
  'cloudCompute.fullLog.newerPage': 'view',
  'cloudCompute.fullLog.newestPage': 'view',
  'cloudCompute.fullLog.goToTime': 'view',
  'cloudCompute.fullLog.findNext': 'view',
  'cloudCompute.fullLog.findPrevious': 'view',
  'cloudCompute.fullLog.saveAs': 'edit',
  'cloudCompute.fullLog.readEarlierLines': 'view',
  'cloudCompute.costs.setBudget': 'session',
  'cloudCompute.costs.resetIdleNotices': 'session',
};

interface Shared {
  readonly tool: string;
  /** The function that the tool and its command call. */
  readonly action: string;
  readonly command: string;
  /** A file of the Test Explorer or the command line program, and the function that it shares with the tool's action. */
  readonly tests?: { readonly file: string; readonly calls: string };
}

/** The functions of changing tools. Tests of job files follow and cancel their jobs with the functions of `client/followToEnd.ts`. */
const shared: readonly Shared[] = [
  {
    tool: 'deploy_endpoint',
    action: 'createEndpoint',
    command: 'features/manifest/create/createFromDocument.ts',
    tests: { file: 'cli/tests/testCommand.ts', calls: 'createEndpoint' },
  },
  {
    tool: 'deploy_endpoint',
    action: 'updateFromManifest',
    command: 'features/manifest/deployed/updateFromDocument.ts',
  },
  { tool: 'scale_endpoint', action: 'scaleEndpoint', command: 'features/endpoints/askAndScale.ts' },
  { tool: 'delete_endpoint', action: 'deleteEndpoints', command: 'features/endpoints/endpointCommands.ts' },
  {
    tool: 'run_job',
    action: 'runToEnd',
    command: 'features/jobs/run/runJob.ts',
    tests: { file: 'features/jobs/expectations/actions/runExpectation.ts', calls: 'followToEnd' },
  },
  { tool: 'run_job', action: 'retryJob', command: 'features/jobs/view/changeCommands.ts' },
  { tool: 'cancel_job', action: 'cancelJobs', command: 'features/jobs/view/changeCommands.ts' },
  { tool: 'edit_image', action: 'editImage', command: 'features/images/imageEditStore.ts' },
  { tool: 'change_local_platform', action: 'seedPlatform', command: 'features/local/platform/controlCommands.ts' },
  { tool: 'change_local_platform', action: 'changeFaults', command: 'features/local/platform/controlCommands.ts' },
  { tool: 'send_request', action: 'sendRequest', command: 'features/requests/send/sendExchange.ts' },
];

const sources = path.join(repository, 'src');

describe('Parity of tools and commands', () => {
  let commands: readonly string[];

  before(async () => {
    const text = await readFile(path.join(repository, 'package.json'), 'utf8');
    const { contributes } = JSON.parse(text) as { contributes: { commands: { command: string }[] } };
    commands = contributes.commands.map(({ command }) => command);
  });

  it('gives every tool a command with which a person does the same', () => {
    for (const tool of AGENT_TOOLS) {
      assert.ok(tool.commands.length > 0, tool.name);
      for (const command of tool.commands) assert.ok(commands.includes(command), `${tool.name}: ${command}`);
    }
  });

  it('gives every command a tool or the reason why it has none', () => {
    const ofTools = new Set<string>(AGENT_TOOLS.flatMap((tool) => tool.commands));
    const missing = commands.filter((command) => !ofTools.has(command) && !(command in withoutTool));
    assert.deepEqual(missing, []);
    assert.deepEqual(
      Object.keys(withoutTool).filter((command) => !commands.includes(command)),
      [],
    );
  });

  it('shares the function of each changing tool with its command and the Test Explorer', async () => {
    const imports = async (file: string, action: string) => {
      const text = await readFile(path.join(sources, file), 'utf8');
      assert.match(text, new RegExp(`import [^;]*\\b${action}\\b[^;]*from`), `${file} imports ${action}`);
    };
    for (const { tool, action, command, tests } of shared) {
      const file = tool.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
      await imports(`agents/actions/tools/${file}.ts`, action);
      await imports(command, action);
      if (tests !== undefined) await imports(tests.file, tests.calls);
    }
  });
});
