import { itemById } from '../itemById.ts';
import { arrange, groupOf, matches, type Arrangement } from './arrangement.ts';
import type { EndpointsChange } from './endpointCache.ts';
import { nodeId, type TreeNode } from './endpointNode.ts';
import { renderEndpoint, renderWorker, type Row } from './endpointRenderer.ts';
import { conditionOf, type EndpointSnapshot } from './endpointSnapshot.ts';
import { renderRelease, renderReleases } from './releaseRenderer.ts';
import { count } from './words.ts';

/** What is drawn. */
export interface TreeSource {
  readonly endpoints: readonly EndpointSnapshot[];
  readonly find: (endpointId: string) => EndpointSnapshot | undefined;
  readonly arrangement: () => Arrangement;
  readonly now: () => number;
}

/** What has to be drawn again: all of it, or some rows with what is below them. */
export type Repaint = 'all' | readonly TreeNode[];

/**
 * The tree of endpoints as nodes and rows, without VS Code. It remembers how each row that was asked for looked, and says after a
 * change which look different now; of a thousand endpoints it looks only at those that changed.
 */
export class EndpointTree {
  readonly #source: TreeSource;
  /** One object per node: VS Code tells nodes apart by identity when one of them is refreshed. */
  readonly #nodes = new Map<string, TreeNode>();
  readonly #looks = new Map<string, string>();
  /** What decides where an endpoint stands. */
  readonly #places = new Map<string, string>();
  readonly #groups = new Map<string, readonly string[]>();
  #order: readonly TreeNode[] | undefined;
  #signature = '';

  constructor(source: TreeSource) {
    this.#source = source;
  }

  /**
   * The children of a node, or the topmost ones; their rows are watched from now on. None is there twice, even where the platform lists it
   * twice: VS Code refuses a whole tree with two rows of one id.
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

  /** The row of a node; undefined when what it stands for is not there any more. */
  row(node: TreeNode): Row | undefined {
    if (node.kind === 'group') return renderGroup(node.group, this.#groups.get(node.group)?.length ?? 0);
    const snapshot = this.#source.find(node.endpointId);
    if (!snapshot) return undefined;
    switch (node.kind) {
      case 'endpoint':
        return renderEndpoint(snapshot, this.#source.arrangement().favourites.has(node.endpointId));
      case 'worker': {
        const worker = itemById(snapshot.workers?.workers ?? [], node.workerId);
        return worker && renderWorker(worker);
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

  /** How many endpoints are shown. */
  get shown(): number {
    this.#topmost();
    return [...this.#groups.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** Takes a change, and says what has to be drawn again. */
  update({ list, ids }: EndpointsChange): Repaint {
    const moved = [...ids].some((id) => this.#places.get(id) !== this.#placeOf(id));
    if ((list || moved) && this.#rearrange()) return 'all';
    return [...ids].flatMap((id) => this.#changedRows(id));
  }

  /** After another arrangement was chosen. */
  rearranged(): Repaint {
    this.#rearrange();
    this.#looks.clear();
    return 'all';
  }

  #changedRows(endpointId: string): TreeNode[] {
    const id = nodeId({ kind: 'endpoint', endpointId });
    const node = this.#nodes.get(id);
    if (!node) return [];
    const known = this.#looks.get(id);
    // What is below is drawn with it.
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

  /** Remembers how a row looks now, with which rows are below it. */
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

  /** Orders and groups anew; says whether anything stands elsewhere than before. */
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
    spoken: `Group ${name}, ${count(size, 'endpoint')}`,
  };
}

function renderProblem(problem: string): Row {
  return {
    label: 'Its workers could not be read',
    description: problem,
    icon: 'warning',
    color: 'list.warningForeground',
    contextValue: 'problem',
    spoken: `Its workers could not be read: ${problem}`,
  };
}
