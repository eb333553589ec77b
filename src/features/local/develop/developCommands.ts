import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { RequestContext } from '../../../client/context.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { withLateProgress } from '../../../kit/progress.ts';
import { openTerminal } from '../../../kit/terminals.ts';
import { UserError } from '../../../kit/userError.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import { chosenNodes } from '../../../account/endpoints/chosenEndpoints.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { askForText } from '../../../kit/quickInput.ts';
import { conditionText } from './conditionText.ts';
import { chosenProcess, chosenWorkers } from './chosenProcess.ts';
import { configurationFor } from './debugProvider.ts';
import type { WorkerConfiguration } from './model/debugConfiguration.ts';
import { offerAccess } from './workerAccess.ts';
import { terminalEnvironment, workerDirectory } from '../../../account/endpoints/workerProcess.ts';

/** A program that every shell runs without quotes. */
const PLAIN_WORD = /^[\w./\\:~+-]+$/;

/** Starts a debugger for a worker of an endpoint. @param args arguments of the command: the row of the endpoint or worker, or nothing */
export async function debugWorker(
  services: Pick<AccountServices, 'connections' | 'endpoints'>,
  args: readonly unknown[],
): Promise<void> {
  const [node] = chosenNodes(args);
  const worker = node?.kind === 'worker' ? { worker: node.workerId } : {};
  if (node && (await offerAccess(services, { endpoint: node.endpointId, workerId: worker.worker, wanted: 'debugger' })))
    return;
  const endpoint = await chosenWorkers(services, args, l10n.t('Endpoint to debug a worker of'));
  if (endpoint) await startDebugging(endpoint, worker);
}

/** The last condition for each endpoint, by its ID. `launch.json` keeps conditions for longer. */
const lastConditions = new Map<string, string>();

/** Asks for a condition, and debugs the jobs of an endpoint that meet it. @param args as of `debugWorker` */
export async function debugMatchingJob(
  services: Pick<AccountServices, 'connections' | 'endpoints'>,
  args: readonly unknown[],
): Promise<void> {
  const endpoint = await chosenWorkers(services, args, l10n.t('Endpoint to debug a job of'));
  if (!endpoint) return;
  const last = lastConditions.get(endpoint.id);
  const condition = await askForText({
    title: l10n.t`Debug a Matching Job of ${endpoint.name}`,
    prompt: l10n.t(
      'Condition on the job, such as job.input.user == 42 && !job.input.items[0].test. Comparisons: == != < <= > >=; values: numbers, "text", true, false, null, job.id.',
    ),
    value: last ?? 'job.input.',
    ...(last === undefined && { valueSelection: [10, 10] as [number, number] }),
    ignoreFocusOut: true,
    validate: conditionText,
  });
  if (condition === undefined) return;
  lastConditions.set(endpoint.id, condition);
  await startDebugging(endpoint, { condition });
}

async function startDebugging(
  endpoint: Endpoint,
  target: Pick<WorkerConfiguration, 'worker' | 'condition'>,
): Promise<void> {
  const directory = vscode.Uri.file(workerDirectory(endpoint) ?? '');
  const folder = vscode.workspace.getWorkspaceFolder(directory) ?? vscode.workspace.workspaceFolders?.[0];
  await vscode.debug.startDebugging(folder, configurationFor(endpoint.name, { endpoint: endpoint.id, ...target }));
}

/**
 * Opens a terminal in the directory of an endpoint's workers, or a shell in the container of a worker. Offers other ways if the platform has
 * no terminals.
 */
export async function openWorkerTerminal(
  services: Pick<AccountServices, 'connections' | 'endpoints' | 'secrets' | 'clock'>,
  args: readonly unknown[],
): Promise<void> {
  const [node] = chosenNodes(args);
  if (node?.kind === 'worker') {
    const { client, profile } = requireConnection(services.connections);
    const endpoint = services.endpoints.find(node.endpointId)?.endpoint;
    if (endpoint && (profile.kind === 'hosted' || workerDirectory(endpoint) === undefined)) {
      const { workerId } = node;
      const { context } = client;
      if (profile.kind === 'hosted' && !(await isOffered(services, context))) {
        await offerAccess(services, { endpoint: endpoint.id, workerId, wanted: 'terminal' });
        return;
      }
      const { openWorkerShell } = await import('./workerShell.ts');
      openWorkerShell({ context, endpoint, workerId });
      return;
    }
  }
  const endpoint = await chosenProcess(services, args, l10n.t('Endpoint to open the directory of'));
  if (endpoint) await terminalOf(services, endpoint);
}

async function isOffered({ clock }: Pick<AccountServices, 'clock'>, context: RequestContext): Promise<boolean> {
  const { offersTerminals } = await import('./actions/offersTerminals.ts');
  return withLateProgress(clock, l10n.t('Opening a shell in the worker…'), (signal) =>
    offersTerminals(context, signal),
  );
}

/** Installs debugpy for the Python of an endpoint's workers, in a terminal. */
export async function installDebugpy(
  services: Pick<AccountServices, 'connections' | 'endpoints' | 'secrets'>,
  args: readonly unknown[],
): Promise<void> {
  const endpoint = await chosenProcess(services, args, l10n.t('Endpoint to install debugpy for'));
  if (!endpoint) return;
  const [python = 'python3'] = [...(endpoint.entrypoint ?? []), ...(endpoint.cmd ?? [])];
  if (!PLAIN_WORD.test(python)) throw new UserError(l10n.t`run “${python} -m pip install debugpy” in a terminal`);
  (await terminalOf(services, endpoint)).sendText(`${python} -m pip install debugpy`);
}

async function terminalOf({ secrets }: Pick<AccountServices, 'secrets'>, endpoint: Endpoint): Promise<vscode.Terminal> {
  const values = await secrets.values();
  const { variables, omitted } = terminalEnvironment(endpoint.env ?? {}, values.values());
  return openTerminal({
    name: endpoint.name,
    directory: workerDirectory(endpoint) ?? '',
    environment: variables,
    ...(omitted.length > 0 && { notice: l10n.t`Left out, because they may contain secrets: ${omitted.join(', ')}` }),
  });
}
