import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { setContext } from '../../../kit/contextKeys.ts';
import type { RequestShells, RequestNode } from '../requestShells.ts';
import type { RouteServices } from '../routeServices.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { idPart } from '../../../text/ids.ts';
import { formatted, table } from '../../../text/markdown.ts';
import { treeItem, withTooltip } from '../../../kit/trees.ts';
import { requestFacts, requestRow } from './requestRow.ts';

/** Interval for updating the ages of rows, in ms. */
const AGE_MS = 60_000;
/** Minimum time between updates of running rows, in ms. */
const UPDATE_EVERY_MS = 500;

/** Fills the requests view. Its rows follow the running requests. */
export function registerRequestView(
  services: RouteServices,
  { tree, shown: view }: RequestShells['view'],
): vscode.Disposable {
  const { clock, connections, exchanges, requests } = services;
  const provider = new RequestTreeProvider(services);
  const disposed = new AbortController();
  const refresh = (): void => {
    setContext('cloudCompute.hasRequests', provider.count > 0);
    view.setDescription(connections.profile?.name ?? '');
    if (view.visible) provider.refresh();
  };
  let isScheduled = false;
  const refreshSoon = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    clock.sleep(UPDATE_EVERY_MS, disposed.signal).then(
      () => {
        isScheduled = false;
        refresh();
      },
      () => undefined,
    );
  };
  const age = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(AGE_MS, disposed.signal);
      refresh();
    }
  };
  void age().catch(() => undefined);
  refresh();
  return vscode.Disposable.from(
    tree.connect(provider),
    provider,
    new vscode.Disposable(() => disposed.abort()),
    requests.onDidChange(refresh),
    exchanges.onDidChange(refreshSoon),
    connections.onDidChange(refresh),
    view.onDidChangeVisibility(refresh),
  );
}

const OPEN: CommandId = 'cloudCompute.routes.openResponse';

type Sources = Pick<RouteServices, 'clock' | 'connections' | 'exchanges' | 'requests'>;

/** Provides the rows of the requests view: the requests of the current connection, newest first. */
export class RequestTreeProvider implements vscode.TreeDataProvider<RequestNode>, vscode.Disposable {
  readonly #sources: Sources;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** Number of requests. */
  get count(): number {
    return this.#recent().length;
  }

  refresh(): void {
    this.#changed.fire(undefined);
  }

  getChildren(node?: RequestNode): RequestNode[] {
    return node ? [] : this.#recent().map(({ id }) => ({ kind: 'request', requestId: id }));
  }

  getParent(): undefined {
    return undefined;
  }

  getTreeItem({ requestId }: RequestNode): vscode.TreeItem {
    const { connections, requests, exchanges, clock } = this.#sources;
    const connectionId = connections.profile?.id ?? '';
    const id = `${idPart(connectionId)}/${idPart(requestId)}`;
    const request = requests.find(connectionId, requestId);
    const { None } = vscode.TreeItemCollapsibleState;
    if (!request) return treeItem({ id, label: '', collapsibleState: None });
    const row = requestRow(request, exchanges.find(connectionId, requestId), clock.now());
    const node: RequestNode = { kind: 'request', requestId };
    const item = treeItem({
      ...row,
      id,
      spoken: `${row.label}, ${row.description}`,
      collapsibleState: None,
      command: { title: l10n.t('Open Response'), command: OPEN, arguments: [node] },
    });
    const facts = requestFacts(request).map(([name, value]) => [formatted`**${name}**`, value]);
    return withTooltip(item, { markdown: table(facts) });
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #recent() {
    const { connections, requests } = this.#sources;
    return connections.profile ? requests.recent(connections.profile.id) : [];
  }
}
