import * as vscode from 'vscode';
import { formatted } from '../../../text/markdown.ts';
import { treeItem, withTooltip } from '../../../kit/trees.ts';
import type { EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';
import { type EndpointStore, onDidChangeEndpointDefinitions } from '../../../account/endpoints/endpointStore.ts';
import { cachePerList, itemById } from '../../../kit/cachePerList.ts';
import { GROUPS, nodeId, type ResourceNode } from './resourceNode.ts';
import {
  renderGroup,
  renderModel,
  renderNotice,
  renderRegistry,
  renderTemplate,
  renderVolume,
  type Row,
  type Surroundings,
} from './resourceRenderer.ts';
import type { ResourceStore } from './resourceStore.ts';

/** Cached for each list of snapshots, because every row needs it. */
const endpointsOf = cachePerList((snapshots: readonly EndpointSnapshot[]) => snapshots.map(({ endpoint }) => endpoint));

/** Renders the store as a tree of groups. Repaints only the groups whose rows have changed. */
export class ResourceTreeProvider implements vscode.TreeDataProvider<ResourceNode>, vscode.Disposable {
  readonly #store: ResourceStore;
  readonly #endpoints: EndpointStore;
  readonly #changed = new vscode.EventEmitter<ResourceNode | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #subscription: { dispose(): void };
  /** One object for each group, because VS Code compares nodes by identity when it refreshes one. */
  readonly #groups: ResourceNode[] = GROUPS.map((group) => ({ kind: 'group', group }));
  #painted = new Map<string, string>();

  constructor(store: ResourceStore, endpoints: EndpointStore) {
    this.#store = store;
    this.#endpoints = endpoints;
    this.#subscription = vscode.Disposable.from(
      store.onDidChange(() => this.#repaint()),
      onDidChangeEndpointDefinitions(endpoints, () => this.#repaint()),
    );
  }

  getChildren(node?: ResourceNode): ResourceNode[] {
    if (!node) return this.#store.state.kind === 'ready' ? this.#groups : [];
    if (node.kind !== 'group') return [];
    const { group } = node;
    const listing = this.#store.listings[group];
    if (renderNotice(group, listing)) return [{ kind: 'notice', group }];
    // VS Code rejects a tree that contains duplicate IDs.
    const ids = new Set(listing.items.map(({ id }) => id));
    return [...ids].map((id) => ({ kind: 'resource', group, id }));
  }

  getTreeItem(node: ResourceNode): vscode.TreeItem {
    const row = this.#row(node);
    const { Expanded, None } = vscode.TreeItemCollapsibleState;
    return treeItem({
      label: '',
      ...row,
      id: nodeId(node),
      collapsibleState: node.kind === 'group' ? Expanded : None,
      command: row?.command && { command: row.command, title: row.description },
    });
  }

  /** Adds the tooltip, which VS Code requests on hover. */
  resolveTreeItem(item: vscode.TreeItem, node: ResourceNode): vscode.TreeItem {
    return withTooltip(item, { markdown: this.#row(node)?.tooltip ?? formatted`` });
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  #row(node: ResourceNode): Row | undefined {
    const { listings } = this.#store;
    if (node.kind === 'group') return renderGroup(node.group, listings[node.group]);
    if (node.kind === 'notice') return renderNotice(node.group, listings[node.group]);
    switch (node.group) {
      case 'registries': {
        const found = itemById(listings.registries.items, node.id);
        return found && renderRegistry(found, this.#surroundings(), this.#store.isDeleting(found.id));
      }
      case 'templates': {
        const found = itemById(listings.templates.items, node.id);
        return found && renderTemplate(found);
      }
      case 'publicModels': {
        const found = itemById(listings.publicModels.items, node.id);
        return found && renderModel(found);
      }
      case 'networkVolumes': {
        const found = itemById(listings.networkVolumes.items, node.id);
        return found && renderVolume(found, this.#surroundings());
      }
    }
  }

  #surroundings(): Surroundings {
    return { endpoints: endpointsOf(this.#endpoints.endpoints), templates: this.#store.listings.templates.items };
  }

  /** Fires for the root when groups are added or removed, otherwise for the groups whose rows have changed. */
  #repaint(): void {
    const groups = this.getChildren();
    const painted = new Map<string, string>([['', String(groups.length)]]);
    for (const group of groups) {
      const rows = [group, ...this.getChildren(group)].map((node) => [nodeId(node), this.#row(node)]);
      painted.set(nodeId(group), JSON.stringify(rows));
    }
    const changed = (key: string) => painted.get(key) !== this.#painted.get(key);
    const rootChanged = changed('');
    const changedGroups = groups.filter((group) => changed(nodeId(group)));
    this.#painted = painted;
    if (rootChanged) this.#changed.fire(undefined);
    else for (const group of changedGroups) this.#changed.fire(group);
  }
}
