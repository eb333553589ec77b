import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CommandId } from '../../kit/commandIds.ts';
import { formatted, type Markdown } from '../../text/markdown.ts';
import { Lazy } from '../../kit/lazy.ts';
import { idPart } from '../../text/ids.ts';
import { treeItem, withTooltip } from '../../kit/trees.ts';
import type { TreeCosts } from '../../account/prices/treeCosts.ts';
import { itemById } from '../../kit/cachePerList.ts';
import type { AccountServices } from '../../account/accountServices.ts';
import { isEndpointNode, nodeId, type TreeNode } from '../../account/endpoints/endpointNode.ts';
import type { FindDeployments } from './model/releaseWords.ts';
import { EndpointTree, type Repaint } from './endpointTree.ts';
import type { LastHour } from './metrics/actions/lastHour.ts';
import { rowUri } from '../../account/endpoints/rowUri.ts';
import type { ViewOptionsStore } from './viewOptionsStore.ts';
import type * as Tooltips from './tooltips.ts';

/** Maximum number of endpoints that the view expands initially. If there are more, all of them are collapsed. */
const MAX_EXPANDED = 8;

const NOTHING = formatted``;

const RETRY: CommandId = 'cloudCompute.endpoints.refreshOne';

/** Provides VS Code with the nodes, rows, and tooltips of the tree, and reports which ones to refresh. */
export class EndpointTreeProvider implements vscode.TreeDataProvider<TreeNode>, vscode.Disposable {
  readonly #services: AccountServices;
  readonly #costs: TreeCosts;
  readonly #findDeployments: FindDeployments;
  readonly #tree: EndpointTree;
  readonly #lastHours = new Lazy(async () => new (await import('./metrics/actions/lastHour.ts')).LastHours());
  readonly #changed = new vscode.EventEmitter<TreeNode[] | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #subscriptions: vscode.Disposable;
  /** Initial expansion of each endpoint, by item ID. A different value later would make VS Code expand or collapse the row. */
  readonly #opened = new Map<string, boolean>();

  constructor(
    services: AccountServices,
    options: ViewOptionsStore,
    costs: TreeCosts,
    findDeployments: FindDeployments = () => Promise.resolve(() => undefined),
  ) {
    const { endpoints, clock, chatModels } = services;
    this.#services = services;
    this.#costs = costs;
    this.#findDeployments = findDeployments;
    this.#tree = new EndpointTree({
      get endpoints() {
        return endpoints.endpoints;
      },
      find: (id) => endpoints.find(id),
      arrangement: () => options.arrangement,
      now: () => clock.now(),
      costs: () => costs.shown,
      isChatModel: (id) => chatModels.ofEndpoint(id).length > 0,
    });
    this.#subscriptions = vscode.Disposable.from(
      endpoints.onDidChange((change) => this.#repaint(this.#tree.update(change))),
      options.onDidChange(() => this.#repaint(this.#tree.rearranged())),
      costs.onDidChange(() => this.#repaint(this.#tree.repainted())),
      chatModels.onDidChange(() => this.#repaint(this.#tree.repainted())),
    );
  }

  /** Number of endpoints that match the filter. */
  get shown(): number {
    return this.#tree.shown;
  }

  async getChildren(node?: TreeNode): Promise<TreeNode[]> {
    const { endpoints } = this.#services;
    if (node?.kind === 'endpoint') {
      endpoints.setExpanded(node.endpointId, true);
      const known = endpoints.find(node.endpointId);
      if (known && !known.workers && known.problem === undefined) await endpoints.load(node.endpointId);
    }
    if (node?.kind === 'releases') {
      endpoints.setReleasesShown(node.endpointId, true);
      if (!endpoints.find(node.endpointId)?.releases) await endpoints.refreshOne(node.endpointId);
    }
    return [...this.#tree.children(node)];
  }

  /** Stops reading the children of a collapsed row. */
  onCollapsed(node: TreeNode): void {
    if (node.kind === 'endpoint') this.#services.endpoints.setExpanded(node.endpointId, false);
    if (node.kind === 'releases') this.#services.endpoints.setReleasesShown(node.endpointId, false);
  }

  getParent(node: TreeNode): TreeNode | undefined {
    return this.#tree.parent(node);
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    const row = this.#tree.row(node);
    const command =
      node.kind === 'problem' ? { title: l10n.t('Try Again'), command: RETRY, arguments: [node] } : undefined;
    return treeItem({
      label: '',
      ...row,
      id: this.#itemId(node),
      collapsibleState: this.#collapsibleState(node),
      command: row && command,
      resource: isEndpointNode(node) ? rowUri(node) : undefined,
    });
  }

  /** Creates the tooltip of a row on request, from current data. */
  async resolveTreeItem(
    item: vscode.TreeItem,
    node: TreeNode,
    token: vscode.CancellationToken,
  ): Promise<vscode.TreeItem> {
    // Loaded for the first tooltip, so that the editor starts faster.
    const tooltips = await import('./tooltips.ts');
    return withTooltip(item, {
      markdown: await this.#tooltip(tooltips, node, token),
      commands: tooltips.TOOLTIP_COMMANDS,
    });
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#changed.dispose();
  }

  async #tooltip(
    { endpointTooltip, releaseTooltip, workerTooltip }: typeof Tooltips,
    node: TreeNode,
    token: vscode.CancellationToken,
  ): Promise<Markdown> {
    const { endpoints } = this.#services;
    if (node.kind === 'endpoint') {
      const [{ diagnose }, { observe }] = await Promise.all([
        import('../../account/diagnosis/diagnose.ts'),
        import('../../account/diagnosis/observe.ts'),
      ]);
      const controller = new AbortController();
      const cancellation = token.onCancellationRequested(() => controller.abort());
      const [seen, spend, lastHour] = await Promise.all([
        observe(this.#services, node.endpointId, controller.signal),
        this.#costs.spendOn(node.endpointId, controller.signal),
        this.#lastHour(node.endpointId, controller.signal),
      ]).finally(() => void cancellation.dispose());
      const snapshot = endpoints.find(node.endpointId);
      if (!snapshot) return NOTHING;
      const rate = this.#costs.shown.ofEndpoint(snapshot);
      const chatModels = this.#services.chatModels.ofEndpoint(node.endpointId).map(({ modelId }) => modelId);
      const costs = { rate, spend, isLocal: this.#costs.isLocal };
      const alerts = this.#services.firingAlerts.of(node.endpointId);
      return endpointTooltip(snapshot, seen && diagnose(seen), costs, chatModels, lastHour, alerts);
    }
    if (node.kind === 'group') return NOTHING;
    const snapshot = endpoints.find(node.endpointId);
    if (node.kind === 'worker') {
      const worker = itemById(snapshot?.workers?.workers ?? [], node.workerId);
      if (!snapshot || !worker) return NOTHING;
      const cost = this.#costs.shown.ofWorker(worker, snapshot);
      return workerTooltip(worker, node.endpointId, cost && { ...cost, isLocal: this.#costs.isLocal });
    }
    if (node.kind === 'release') {
      const release = itemById(snapshot?.releases?.releases ?? [], node.releaseId);
      if (!release) return NOTHING;
      const { version } = release;
      return releaseTooltip(
        release,
        version == null ? undefined : (await this.#findDeployments(node.endpointId))(version),
      );
    }
    return node.kind === 'releases' ? formatted`All configurations of this endpoint, newest first` : NOTHING;
  }

  /** Reads how long jobs took, if the platform measures it. */
  async #lastHour(endpointId: string, signal: AbortSignal): Promise<LastHour | undefined> {
    const { client, profile } = this.#services.connections;
    if (!client || profile?.kind !== 'local') return undefined;
    return (await this.#lastHours.get()).read(client, endpointId, signal);
  }

  /** Returns the ID under which VS Code remembers the expansion of a row. It contains the connection's ID. */
  #itemId(node: TreeNode): string {
    return `${idPart(this.#services.connections.profile?.id ?? '')}/${nodeId(node)}`;
  }

  #collapsibleState(node: TreeNode): vscode.TreeItemCollapsibleState {
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    switch (node.kind) {
      case 'group':
        return Expanded;
      case 'releases':
        return Collapsed;
      case 'endpoint': {
        const { endpoints } = this.#services.endpoints;
        const id = this.#itemId(node);
        const open = this.#opened.get(id) ?? endpoints.length <= MAX_EXPANDED;
        this.#opened.set(id, open);
        return open ? Expanded : Collapsed;
      }
      default:
        return None;
    }
  }

  #repaint(what: Repaint): void {
    if (what === 'all') this.#changed.fire(undefined);
    else if (what.length > 0) this.#changed.fire([...what]);
  }
}
