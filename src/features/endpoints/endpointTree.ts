import * as l10n from '@vscode/l10n';
import type { ShownCosts } from '../../account/prices/treeCosts.ts';
import { itemById } from '../../kit/cachePerList.ts';
import { arrange, groupOf, matches, type Arrangement } from '../../account/endpoints/arrangement.ts';
import type { EndpointsChange } from '../../account/endpoints/endpointCache.ts';
import { nodeId, type TreeNode } from '../../account/endpoints/endpointNode.ts';
import { renderEndpoint, renderWorker } from './endpointRenderer.ts';
import type { Row } from '../../kit/trees.ts';
import { conditionOf, type EndpointSnapshot } from '../../account/endpoints/endpointSnapshot.ts';
import { renderRelease, renderReleases } from './releaseRenderer.ts';

/** Data that the tree renders. */
export interface TreeSource {
  readonly endpoints: readonly EndpointSnapshot[];
  readonly find: (endpointId: string) => EndpointSnapshot | undefined;
  readonly arrangement: () => Arrangement;
  readonly now: () => number;
  /** Costs to show. Default: none. */
  readonly costs?: () => ShownCosts;
  /** Returns whether the chat of the editor can use an endpoint. Default: none is used. */
  readonly isChatModel?: (endpointId: string) => boolean;
}

/** Rows to render again: all of them, or some nodes with their descendants. */
export type Repaint = 'all' | readonly TreeNode[];

/**
 * The tree of endpoints as nodes and rows, independent of VS Code. It remembers each row that it has rendered and returns the rows that a
 * change affects. The cost of an update depends on the number of changed endpoints, not on the number of all endpoints.
 */
export class EndpointTree {
  readonly #source: TreeSource;
  /** Nodes by ID. VS Code identifies a node to refresh by object identity, so each node is created once. */
  readonly #nodes = new Map<string, TreeNode>();
  readonly #looks = new Map<string, string>();
  /** Sort key, group, and filter result of each endpoint, by endpoint ID. */
  readonly #places = new Map<string, string>();
  readonly #groups = new Map<string, readonly string[]>();
  #order: readonly TreeNode[] | undefined;
  #signature = '';

  constructor(source: TreeSource) {
    this.#source = source;
  }

  /**
   * Returns the children of a node, or the root nodes, and reports changes of their rows from then on. Removes duplicates from the platform's
   * lists, because VS Code rejects a tree in which two rows have the same ID.
   */
  children(node?: TreeNode): readonly TreeNode[] {
    const children = [...new Set(this.#childrenOf(node))];
    for (const child of children) this.#look(child);
    if (node) this.#look(node);
    return children;
  }

  parent(node: TreeNode): TreeNode | undefined {
    switch (node.kind) {
      case 'group':
        return undefined;
      case 'endpoint': {
        const snapshot = this.#source.find(node.endpointId);
        const { group } = this.#source.arrangement();
        if (!snapshot || group === 'none') return undefined;
        return this.#node({ kind: 'group', group: groupOf(snapshot, group) });
      }
      case 'release':
        return this.#node({ kind: 'releases', endpointId: node.endpointId });
      default:
        return this.#node({ kind: 'endpoint', endpointId: node.endpointId });
    }
  }

  /** Returns the row of a node, or undefined if its endpoint, worker, or release no longer exists. */
  row(node: TreeNode): Row | undefined {
    if (node.kind === 'group') return renderGroup(node.group, this.#groups.get(node.group)?.length ?? 0);
    const snapshot = this.#source.find(node.endpointId);
    if (!snapshot) return undefined;
    switch (node.kind) {
      case 'endpoint':
        return renderEndpoint(
          snapshot,
          this.#source.arrangement().favorites.has(node.endpointId),
          this.#source.costs?.().ofEndpoint(snapshot),
          this.#source.isChatModel?.(node.endpointId),
        );
      case 'worker': {
        const worker = itemById(snapshot.workers?.workers ?? [], node.workerId);
        return worker && renderWorker(worker, this.#source.costs?.().ofWorker(worker, snapshot));
      }
      case 'releases':
        return renderReleases(snapshot);
      case 'release': {
        const { releases } = snapshot;
        const release = itemById(releases?.releases ?? [], node.releaseId);
        return release && releases && renderRelease(release, releases, this.#source.now());
      }
      case 'problem':
        return renderProblem(snapshot.problem ?? '');
    }
  }

  /** Number of endpoints that match the filter. */
  get shown(): number {
    this.#topmost();
    return [...this.#groups.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** Applies a change and returns the rows to render again. */
  update({ list, ids }: EndpointsChange): Repaint {
    const moved = [...ids].some((id) => this.#places.get(id) !== this.#placeOf(id));
    if ((list || moved) && this.#rearrange()) return 'all';
    return [...ids].flatMap((id) => this.#changedRows(id));
  }

  /** Applies a new arrangement. */
  rearranged(): Repaint {
    this.#rearrange();
    this.#looks.clear();
    return 'all';
  }

  /** Renders every row again, after a change of the prices or of the chat models. */
  repainted(): Repaint {
    this.#looks.clear();
    return 'all';
  }

  #changedRows(endpointId: string): TreeNode[] {
    const id = nodeId({ kind: 'endpoint', endpointId });
    const node = this.#nodes.get(id);
    if (!node) return [];
    const known = this.#looks.get(id);
    // VS Code renders the descendants of a refreshed node as well.
    if (known === undefined || this.#look(node) !== known) {
      for (const child of this.#childrenOf(node)) if (this.#looks.has(nodeId(child))) this.#look(child);
      return [node];
    }
    return this.#childrenOf(node).flatMap((child) => this.#changedBelow(child));
  }

  #changedBelow(node: TreeNode): TreeNode[] {
    const known = this.#looks.get(nodeId(node));
    if (known === undefined) return [];
    if (this.#look(node) !== known) return [node];
    return node.kind === 'releases' ? this.#childrenOf(node).flatMap((child) => this.#changedBelow(child)) : [];
  }

  /** Records the current row of a node and the IDs of its children. */
  #look(node: TreeNode): string {
    const below = node.kind === 'endpoint' || node.kind === 'releases' ? this.#childrenOf(node).map(nodeId) : [];
    const look = JSON.stringify([this.row(node), below]);
    this.#looks.set(nodeId(node), look);
    return look;
  }

  #childrenOf(node?: TreeNode): readonly TreeNode[] {
    if (!node) return this.#topmost();
    switch (node.kind) {
      case 'group':
        return (this.#groups.get(node.group) ?? []).map((endpointId) => this.#node({ kind: 'endpoint', endpointId }));
      case 'endpoint':
        return this.#childrenOfEndpoint(node.endpointId);
      case 'releases':
        return (this.#source.find(node.endpointId)?.releases?.releases ?? []).map(({ id }) =>
          this.#node({ kind: 'release', endpointId: node.endpointId, releaseId: id }),
        );
      default:
        return [];
    }
  }

  #childrenOfEndpoint(endpointId: string): TreeNode[] {
    const snapshot = this.#source.find(endpointId);
    if (!snapshot) return [];
    const workers = snapshot.workers?.workers ?? [];
    return [
      ...(snapshot.problem === undefined ? [] : [this.#node({ kind: 'problem', endpointId })]),
      ...workers.map(({ id }) => this.#node({ kind: 'worker', endpointId, workerId: id })),
      this.#node({ kind: 'releases', endpointId }),
    ];
  }

  #topmost(): readonly TreeNode[] {
    if (!this.#order) this.#rearrange();
    return this.#order ?? [];
  }

  /** Sorts and groups the endpoints. Returns whether the order or a group has changed. */
  #rearrange(): boolean {
    const arrangement = this.#source.arrangement();
    const groups = arrange(this.#source.endpoints, arrangement);
    this.#groups.clear();
    for (const { name, endpoints } of groups) {
      this.#groups.set(
        name,
        endpoints.map(({ endpoint }) => endpoint.id),
      );
    }
    this.#order =
      arrangement.group === 'none'
        ? (groups[0]?.endpoints ?? []).map(({ endpoint }) => this.#node({ kind: 'endpoint', endpointId: endpoint.id }))
        : groups.map(({ name }) => this.#node({ kind: 'group', group: name }));
    this.#places.clear();
    for (const { endpoint } of this.#source.endpoints) this.#places.set(endpoint.id, this.#placeOf(endpoint.id));
    this.#forgetGone();
    const signature = JSON.stringify([...this.#groups]);
    const differs = signature !== this.#signature;
    this.#signature = signature;
    return differs;
  }

  #placeOf(id: string): string {
    const snapshot = this.#source.find(id);
    if (!snapshot) return '';
    const { filter, group, sort } = this.#source.arrangement();
    const { name, createdAt } = snapshot.endpoint;
    const key = sort === 'state' ? conditionOf(snapshot) : sort === 'newest' ? createdAt : '';
    return [name, key, groupOf(snapshot, group), filter === '' || matches(snapshot, filter)].join('\n');
  }

  #forgetGone(): void {
    for (const [id, node] of this.#nodes) {
      if (node.kind === 'group' ? this.#groups.has(node.group) : this.#source.find(node.endpointId)) continue;
      this.#nodes.delete(id);
      this.#looks.delete(id);
    }
  }

  #node(node: TreeNode): TreeNode {
    const id = nodeId(node);
    const known = this.#nodes.get(id);
    if (known) return known;
    this.#nodes.set(id, node);
    return node;
  }
}

function renderGroup(name: string, size: number): Row {
  return {
    label: name.charAt(0).toUpperCase() + name.slice(1),
    description: String(size),
    icon: 'folder',
    color: undefined,
    contextValue: 'group',
    spoken: size === 1 ? l10n.t`Group ${name}, 1 endpoint` : l10n.t`Group ${name}, ${size} endpoints`,
  };
}

function renderProblem(problem: string): Row {
  return {
    label: l10n.t('Could not read the workers'),
    description: problem,
    icon: 'warning',
    color: 'list.warningForeground',
    contextValue: 'problem',
    spoken: l10n.t`Could not read the workers: ${problem}`,
  };
}
