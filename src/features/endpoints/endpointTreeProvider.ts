import * as vscode from 'vscode';
import { nodeId, type EndpointNode } from './endpointNode.ts';
import { renderEndpoint, renderWorker, type Row } from './endpointRenderer.ts';
import type { EndpointStore } from './endpointStore.ts';

/** Renders the store as a tree, and repaints only the rows that look different. */
export class EndpointTreeProvider implements vscode.TreeDataProvider<EndpointNode>, vscode.Disposable {
  readonly #store: EndpointStore;
  readonly #changed = new vscode.EventEmitter<EndpointNode | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #subscription: vscode.Disposable;
  /** One object per node: VS Code tells nodes apart by identity when one of them is refreshed. */
  readonly #nodes = new Map<string, EndpointNode>();
  #painted = new Map<string, string>();

  constructor(store: EndpointStore) {
    this.#store = store;
    this.#subscription = store.onDidChange(() => this.#repaint());
  }

  getChildren(node?: EndpointNode): EndpointNode[] {
    if (!node) {
      return this.#store.endpoints.map(({ endpoint }) => this.#node({ kind: 'endpoint', endpointId: endpoint.id }));
    }
    if (node.kind === 'worker') return [];
    const { endpointId } = node;
    const workers = this.#store.find(endpointId)?.workers?.workers ?? [];
    return workers.map(({ id }) => this.#node({ kind: 'worker', endpointId, workerId: id }));
  }

  getParent(node: EndpointNode): EndpointNode | undefined {
    return node.kind === 'worker' ? this.#node({ kind: 'endpoint', endpointId: node.endpointId }) : undefined;
  }

  getTreeItem(node: EndpointNode): vscode.TreeItem {
    const row = this.#row(node);
    const item = new vscode.TreeItem(row?.label ?? '');
    item.id = nodeId(node);
    if (node.kind === 'endpoint') item.collapsibleState = vscode.TreeItemCollapsibleState.Expanded;
    if (!row) return item;
    item.description = row.description;
    item.iconPath = new vscode.ThemeIcon(
      row.icon,
      row.color === undefined ? undefined : new vscode.ThemeColor(row.color),
    );
    item.contextValue = row.contextValue;
    item.accessibilityInformation = { label: row.spoken };
    return item;
  }

  /** Tooltips are made when they are asked for. */
  resolveTreeItem(item: vscode.TreeItem, node: EndpointNode): vscode.TreeItem {
    item.tooltip = new vscode.MarkdownString(this.#row(node)?.tooltip);
    return item;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  #row(node: EndpointNode): Row | undefined {
    const snapshot = this.#store.find(node.endpointId);
    if (node.kind === 'endpoint') return snapshot && renderEndpoint(snapshot);
    const worker = snapshot?.workers?.workers.find(({ id }) => id === node.workerId);
    return worker && renderWorker(worker);
  }

  #node(node: EndpointNode): EndpointNode {
    const id = nodeId(node);
    const known = this.#nodes.get(id);
    if (known) return known;
    this.#nodes.set(id, node);
    return node;
  }

  /** Fires for the root when endpoints came or went, for an endpoint when its workers did, else for the changed rows. */
  #repaint(): void {
    const painted = new Map<string, string>();
    const changed: EndpointNode[] = [];
    const paint = (node: EndpointNode, children: readonly EndpointNode[]) => {
      const look = JSON.stringify([this.#row(node), children.map(nodeId)]);
      painted.set(nodeId(node), look);
      if (this.#painted.get(nodeId(node)) !== look) changed.push(node);
    };
    const endpoints = this.getChildren();
    for (const endpoint of endpoints) {
      const workers = this.getChildren(endpoint);
      paint(endpoint, workers);
      for (const worker of workers) paint(worker, []);
    }
    const ids = endpoints.map(nodeId).join();
    painted.set('', ids);
    const rootChanged = this.#painted.get('') !== ids;
    this.#painted = painted;
    for (const id of this.#nodes.keys()) if (!painted.has(id)) this.#nodes.delete(id);
    if (rootChanged) this.#changed.fire(undefined);
    else for (const node of changed) this.#changed.fire(node);
  }
}
