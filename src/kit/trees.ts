import * as vscode from 'vscode';
import { tooltipOf, type Tooltip } from './tooltips.ts';
import { provideSelection } from './selectedRows.ts';
import { withSafeErrors } from './safeErrors.ts';
import { safe, safeIfAny, type Showable, isolated } from '../text/shownText.ts';

/** Content of a tree row. It is independent of VS Code, so that unit tests can check it. */
export interface Row {
  readonly label: string;
  readonly description: string;
  /** Name of a product icon, and of the theme color that tints it. */
  readonly icon: string;
  readonly color: string | undefined;
  /** Value of `viewItem` in `when` clauses. */
  readonly contextValue: string;
  /** Text for screen readers. */
  readonly spoken: string;
}

/* Tree views. */

export interface ShownRow {
  readonly id: string;
  readonly label: Showable;
  readonly description?: Showable | undefined;
  /** Text for screen readers. */
  readonly spoken?: Showable | undefined;
  readonly icon?: string | undefined;
  readonly color?: string | undefined;
  readonly contextValue?: string | undefined;
  readonly collapsibleState: vscode.TreeItemCollapsibleState;
  readonly command?: vscode.Command | undefined;
  /** Address to which other features can add a badge. */
  readonly resource?: vscode.Uri | undefined;
}

export function treeItem(row: ShownRow): vscode.TreeItem {
  const { id, icon, color, contextValue, collapsibleState, command, resource } = row;
  const item = new vscode.TreeItem(isolated(safe(row.label)), collapsibleState);
  item.id = id;
  const description = safeIfAny(row.description);
  if (description !== undefined) item.description = isolated(description);
  if (icon !== undefined)
    item.iconPath = new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
  if (contextValue !== undefined) item.contextValue = contextValue;
  if (row.spoken !== undefined) item.accessibilityInformation = { label: safe(row.spoken) };
  if (command) item.command = command;
  if (resource) item.resourceUri = resource;
  return item;
}

/** Sets the tooltip of a row. The editor requests tooltips on demand. */
export function withTooltip(item: vscode.TreeItem, tooltip: Tooltip): vscode.TreeItem {
  item.tooltip = tooltipOf(tooltip);
  return item;
}

/** Stands for the provider of a tree until its code is loaded. The tree has no rows until then. */
export class TreeShell<Node> implements vscode.TreeDataProvider<Node> {
  readonly #changed = new vscode.EventEmitter<undefined | null | void | Node | Node[]>();
  readonly onDidChangeTreeData = this.#changed.event;
  #provider: vscode.TreeDataProvider<Node> | undefined;

  /** Sets the provider, until the returned object is disposed. */
  connect(provider: vscode.TreeDataProvider<Node>): vscode.Disposable {
    this.#provider = provider;
    this.#changed.fire(undefined);
    const subscription = provider.onDidChangeTreeData?.((node) => this.#changed.fire(node));
    return new vscode.Disposable(() => {
      this.#provider = undefined;
      subscription?.dispose();
    });
  }

  getChildren(node?: Node): vscode.ProviderResult<Node[]> {
    return this.#provider?.getChildren(node) ?? [];
  }

  getTreeItem(node: Node): vscode.TreeItem | Thenable<vscode.TreeItem> {
    return this.#provider?.getTreeItem(node) ?? {};
  }

  getParent(node: Node): vscode.ProviderResult<Node> {
    return this.#provider?.getParent?.(node);
  }

  resolveTreeItem(
    item: vscode.TreeItem,
    node: Node,
    token: vscode.CancellationToken,
  ): vscode.ProviderResult<vscode.TreeItem> {
    return this.#provider?.resolveTreeItem?.(item, node, token) ?? item;
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

/** A tree view whose message, description, and badge are safe to show. */
export class ShownTree<Node> implements vscode.Disposable {
  readonly #view: vscode.TreeView<Node>;
  readonly #selection: { dispose(): void };
  readonly onDidChangeVisibility: vscode.Event<unknown>;
  readonly onDidCollapseElement: vscode.Event<vscode.TreeViewExpansionEvent<Node>>;

  /** Errors of the provider are made safe to show, because the editor shows them. */
  constructor(id: string, { treeDataProvider, ...options }: vscode.TreeViewOptions<Node>) {
    this.#view = vscode.window.createTreeView(id, { ...options, treeDataProvider: withSafeErrors(treeDataProvider) });
    this.#selection = provideSelection(id, () => this.#view.selection);
    this.onDidChangeVisibility = this.#view.onDidChangeVisibility;
    this.onDidCollapseElement = this.#view.onDidCollapseElement;
  }

  get visible(): boolean {
    return this.#view.visible;
  }

  /** Shows the view, and selects a row of it. Rejects if the provider does not contain the row. */
  async reveal(node: Node): Promise<void> {
    await this.#view.reveal(node, { select: true, focus: true, expand: true });
  }

  setMessage(message: Showable): void {
    this.#view.message = safe(message);
  }

  setDescription(description: Showable): void {
    this.#view.description = safe(description);
  }

  setBadge(badge: { readonly value: number; readonly tooltip: Showable } | undefined): void {
    this.#view.badge = badge && { value: badge.value, tooltip: safe(badge.tooltip) };
  }

  dispose(): void {
    this.#selection.dispose();
    this.#view.dispose();
  }
}
