import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import type { Worker } from '../../contract/worker.ts';
import { registerCommand } from '../../vscode/commands.ts';
import { UserError } from '../../vscode/userError.ts';
import { withProgress } from '../../vscode/progress.ts';
import { createPick, pick, rowOf, type ShownItem } from '../../vscode/quickInput.ts';
import { shown } from '../../vscode/text/shownText.ts';
import { requireConnection, requireConnectionOf } from '../connections/requireConnection.ts';
import { isEndpointNode, type EndpointNode } from '../endpoints/endpointNode.ts';
import { duration } from '../../vscode/text/quantities.ts';
import type { Services } from '../services.ts';
import { listWorkers, type ListedWorker } from './actions/listWorkers.ts';
import type { LogChannels } from './logChannels.ts';
import { FOLLOWED } from './logStatusBar.ts';
import { workerKey, type LoggedWorker } from './model/loggedWorker.ts';
import type { WorkerLogStore } from './workerLogStore.ts';

/** A worker and the status that its row in the picker shows. */
interface Choice {
  readonly worker: LoggedWorker;
  readonly status: string;
}

type WorkerItem = ShownItem & { readonly worker: LoggedWorker };

/** Registers the palette, tree, and status bar commands for worker logs. */
export function registerLogCommands(
  services: Services,
  store: WorkerLogStore,
  channels: LogChannels,
): vscode.Disposable {
  const { log } = services;
  const show = (worker: LoggedWorker): void => {
    // The connection may have changed while the picker was open.
    requireConnectionOf(services.connections, worker.connectionId);
    store.follow(worker);
    channels.show(worker);
  };
  return vscode.Disposable.from(
    registerCommand(log, 'cloudCompute.logs.open', 'Could not show the logs', async (argument) => {
      if (argument === FOLLOWED) {
        pickFollowed(store, show);
        return;
      }
      const worker = await chooseWorker(services, isEndpointNode(argument) ? argument : undefined, store);
      if (worker) show(worker);
    }),
    registerCommand(log, 'cloudCompute.logs.stop', 'Could not stop following the log', async () => {
      const { followed } = store;
      if (followed.length === 0) throw new UserError('no worker log is being followed');
      const worker = followed.length === 1 ? followed[0] : await pickToStop(followed);
      if (worker) store.stop(worker);
    }),
  );
}

async function chooseWorker(
  services: Services,
  node: EndpointNode | undefined,
  store: WorkerLogStore,
): Promise<LoggedWorker | undefined> {
  const { client, profile } = requireConnection(services.connections);
  const connectionId = profile.id;
  if (node?.kind === 'worker') {
    // The worker may have ended since the tree was read. Its log still exists.
    const { endpointId, workerId } = node;
    return {
      connectionId,
      endpointId,
      workerId,
      endpointName: services.endpoints.find(endpointId)?.endpoint.name ?? endpointId,
    };
  }
  const running = (await readWorkers(client, node?.endpointId)).map((listed) => choiceOf(connectionId, listed));
  const choices = [...running, ...goneWorkers(store, running, node?.endpointId)];
  if (choices.length === 0) throw noWorkers(node, services);
  return choices.length === 1 ? choices[0]?.worker : pickWorker(choices, store);
}

/** Reads the workers from the platform, because the tree may not be loaded yet. Reading all endpoints can take a while. */
function readWorkers(client: Client, endpointId: string | undefined): Thenable<readonly ListedWorker[]> {
  const location =
    endpointId === undefined ? vscode.ProgressLocation.Notification : { viewId: 'cloudCompute.endpoints' };
  return withProgress({ title: 'Looking for workers…', location }, (signal, report) =>
    listWorkers(client, {
      endpointId,
      signal,
      onProgress: (done, total) => report(shown`${done} of ${total} endpoints`),
    }),
  );
}

function choiceOf(connectionId: string, { endpoint, worker }: ListedWorker): Choice {
  return {
    worker: { connectionId, endpointId: endpoint.id, workerId: worker.id, endpointName: endpoint.name },
    status: statusOf(worker),
  };
}

function statusOf({ status, uptimeSeconds }: Worker): string {
  const up = uptimeSeconds == null ? '' : ` · up ${duration(uptimeSeconds)}`;
  return `${status.toLowerCase()}${up}`;
}

/** Returns the followed workers that have ended. Their logs can still be read. */
function goneWorkers(store: WorkerLogStore, running: readonly Choice[], endpointId: string | undefined): Choice[] {
  const listed = new Set(running.map(({ worker }) => workerKey(worker)));
  return store.known
    .filter((worker) => endpointId === undefined || worker.endpointId === endpointId)
    .filter((worker) => !listed.has(workerKey(worker)))
    .map((worker) => ({ worker, status: 'ended' }));
}

function noWorkers(node: EndpointNode | undefined, { endpoints }: Services): UserError {
  const name = node && endpoints.find(node.endpointId)?.endpoint.name;
  return new UserError(
    shown`${name === undefined ? 'no endpoint' : shown`“${name}”`} has a worker; run a job to start one`,
    {
      label: 'Run Job…',
      command: 'cloudCompute.jobs.run',
    },
  );
}

async function pickWorker(choices: readonly Choice[], store: WorkerLogStore): Promise<LoggedWorker | undefined> {
  const items = choices.map(({ worker, status }) => ({
    label: worker.workerId,
    description: status,
    detail: store.isFollowed(worker) ? shown`${worker.endpointName} · following` : worker.endpointName,
    worker,
  }));
  return (await pick(items, { placeholder: 'Worker whose log to show' }))?.worker;
}

async function pickToStop(followed: readonly LoggedWorker[]): Promise<LoggedWorker | undefined> {
  const items = followed.map((worker) => ({ label: worker.workerId, description: worker.endpointName, worker }));
  return (await pick(items, { placeholder: 'Worker whose log to stop following' }))?.worker;
}

/** Lists the followed workers. Choosing one shows its log, and the button of its row stops following it. */
function pickFollowed(store: WorkerLogStore, show: (worker: LoggedWorker) => void): void {
  const stopButton = { iconPath: new vscode.ThemeIcon('debug-pause'), tooltip: 'Stop Following' };
  const list = createPick<WorkerItem>({ placeholder: 'Worker whose log to show or stop following' });
  const fill = () => {
    const active = list.activeItems[0]?.item.worker;
    list.items = store.followed.map((worker) =>
      rowOf({ label: worker.workerId, description: worker.endpointName, buttons: [stopButton], worker }),
    );
    if (list.items.length === 0) list.hide();
    list.activeItems = list.items.filter(({ item }) => active && workerKey(item.worker) === workerKey(active));
  };
  fill();
  const subscriptions = [
    store.onDidChange(fill),
    list.onDidTriggerItemButton(({ item: row }) => store.stop(row.item.worker)),
    list.onDidAccept(() => {
      const [chosen] = list.selectedItems;
      if (chosen) show(chosen.item.worker);
      list.hide();
    }),
    list.onDidHide(() => {
      vscode.Disposable.from(...subscriptions, list).dispose();
    }),
  ];
  list.show();
}
