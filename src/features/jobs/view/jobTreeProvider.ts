import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Profile } from '../../../account/connections/connectionStore.ts';
import type { Client } from '../../../client/client.ts';
import type { Clock } from '../../../client/clock.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { treeItem, withTooltip } from '../../../kit/trees.ts';
import type { JobHistoryStore } from '../actions/jobHistoryStore.ts';
import type { JobFilterStore } from './jobFilterStore.ts';
import { JobList } from './jobList.ts';
import { jobNodeId, type JobNode } from './jobNode.ts';
import { presentOf, type Present } from './jobRows.ts';
import { JOB_TOOLTIP_COMMANDS, jobTooltip } from './jobTooltip.ts';

export interface JobTreeSources {
  readonly clock: Pick<Clock, 'now'>;
  readonly history: JobHistoryStore;
  readonly filters: JobFilterStore;
  readonly connections: {
    readonly profile: Pick<Profile, 'id' | 'kind' | 'name'> | undefined;
    readonly client: Client | undefined;
    readonly onDidChange: (listener: () => unknown) => { dispose(): unknown };
  };
}

const OPEN: CommandId = 'cloudCompute.jobs.openResult';

/** Renders the job history of the current connection. Sends no requests. */
export class JobTreeProvider implements vscode.TreeDataProvider<JobNode>, vscode.Disposable {
  readonly #present: () => Present;
  readonly #list: JobList;
  readonly #changed = new vscode.EventEmitter<JobNode[] | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #updated = new vscode.EventEmitter<void>();
  /** Fires after the jobs, the filter, or the connection changed. */
  readonly onDidUpdate = this.#updated.event;
  readonly #subscriptions: vscode.Disposable;

  constructor({ clock, history, filters, connections }: JobTreeSources) {
    this.#present = () => presentOf(clock, connections);
    this.#list = new JobList({
      get connectionId() {
        return connections.profile?.id;
      },
      jobs: (id) => history.recent(id),
      filter: (id) => filters.get(id),
      present: this.#present,
    });
    const update = () => this.#update();
    this.#subscriptions = vscode.Disposable.from(
      history.onDidChange(update),
      filters.onDidChange(update),
      connections.onDidChange(update),
    );
  }

  /** Number of jobs of the connection, whether or not they match the filter. */
  get total(): number {
    return this.#list.total;
  }

  /** Number of unfinished jobs of the connection, whether or not they match the filter. */
  get active(): number {
    return this.#list.active;
  }

  /** Number of jobs that match the filter. */
  get shown(): number {
    return this.#list.nodes.length;
  }

  /** Renders the rows again that contain a time which has changed. */
  tick(): void {
    this.#repaint();
  }

  getChildren(node?: JobNode): JobNode[] {
    return node ? [] : [...this.#list.nodes];
  }

  getParent(): undefined {
    return undefined;
  }

  getTreeItem(node: JobNode): vscode.TreeItem {
    return treeItem({
      label: '',
      ...this.#list.row(node),
      id: jobNodeId(node),
      collapsibleState: vscode.TreeItemCollapsibleState.None,
      command: { title: l10n.t('Open Result'), command: OPEN, arguments: [node] },
    });
  }

  /** Creates the tooltip of a row on request. */
  resolveTreeItem(item: vscode.TreeItem, node: JobNode): vscode.TreeItem {
    const job = this.#list.find(node);
    if (!job) return item;
    return withTooltip(item, { markdown: jobTooltip(job, node, this.#present()), commands: JOB_TOOLTIP_COMMANDS });
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#changed.dispose();
    this.#updated.dispose();
  }

  #update(): void {
    this.#repaint();
    this.#updated.fire();
  }

  #repaint(): void {
    const rows = this.#list.update();
    if (rows === 'all') this.#changed.fire(undefined);
    else if (rows.length > 0) this.#changed.fire([...rows]);
  }
}
