import type { Row } from '../../../kit/trees.ts';
import { idPart } from '../../../text/ids.ts';
import type { StoredJob } from '../model/storedJob.ts';
import { listed, type JobFilter } from './jobFilter.ts';
import { isActive, renderJob, type Present } from './jobRows.ts';

/** A row of the jobs view. It contains only IDs, so that a command acts on current data. */
export interface JobNode {
  readonly kind: 'job';
  readonly connectionId: string;
  readonly jobId: string;
}

/** Returns the ID of a row, which is unique among all connections. */
export function jobNodeId({ connectionId, jobId }: JobNode): string {
  return `${idPart(connectionId)}/${idPart(jobId)}`;
}

function isJobNode(value: unknown): value is JobNode {
  const { kind, connectionId, jobId } = (value ?? {}) as Partial<Record<keyof JobNode, unknown>>;
  return kind === 'job' && typeof connectionId === 'string' && typeof jobId === 'string';
}

/** Returns the rows that a command acts on. @param args arguments of the command: the clicked row and all selected rows */
export function jobNodesIn([node, selected]: readonly unknown[]): readonly JobNode[] {
  const several = Array.isArray(selected) ? selected.filter(isJobNode) : [];
  if (several.length > 0) return several;
  return isJobNode(node) ? [node] : [];
}

/** Data that the list renders. */
interface JobListSource {
  /** ID of the current connection. */
  readonly connectionId: string | undefined;
  readonly jobs: (connectionId: string) => readonly StoredJob[];
  readonly filter: (connectionId: string) => JobFilter;
  readonly present: () => Present;
}

/** Rows to render again: all of them, or some. */
type Repaint = 'all' | readonly JobNode[];

/** The jobs of the current connection as nodes and rows, independent of VS Code. Returns the rows that a change affects. */
export class JobList {
  readonly #source: JobListSource;
  /** Nodes by ID. VS Code identifies a row to refresh by its node, so each node is created once. */
  readonly #nodes = new Map<string, JobNode>();
  #jobs = new Map<JobNode, StoredJob>();
  #looks = new Map<JobNode, string>();
  #total = 0;
  #active = 0;

  constructor(source: JobListSource) {
    this.#source = source;
    this.update();
  }

  /** The jobs that match the filter, newest first. */
  get nodes(): readonly JobNode[] {
    return [...this.#jobs.keys()];
  }

  /** Number of jobs of the connection, whether or not they match the filter. */
  get total(): number {
    return this.#total;
  }

  /** Number of unfinished jobs of the connection, whether or not they match the filter. */
  get active(): number {
    return this.#active;
  }

  find(node: JobNode): StoredJob | undefined {
    return this.#jobs.get(node);
  }

  row(node: JobNode): Row | undefined {
    const job = this.#jobs.get(node);
    return job && renderJob(job, this.#source.present());
  }

  /** Reads the jobs again. Returns the rows that have changed, also because of the time that has passed. */
  update(): Repaint {
    const { connectionId } = this.#source;
    const jobs = connectionId === undefined ? [] : this.#source.jobs(connectionId);
    const shown = connectionId === undefined ? [] : listed(jobs, this.#source.filter(connectionId));
    const before = this.nodes;
    this.#total = jobs.length;
    this.#active = jobs.filter(isActive).length;
    this.#jobs = new Map(
      shown.map((job) => [this.#node({ kind: 'job', connectionId: connectionId ?? '', jobId: job.id }), job]),
    );
    for (const [id, node] of this.#nodes) if (!this.#jobs.has(node)) this.#nodes.delete(id);
    const looks = new Map(this.nodes.map((node) => [node, JSON.stringify(this.row(node))]));
    const changed = this.nodes.filter((node) => looks.get(node) !== this.#looks.get(node));
    this.#looks = looks;
    const after = this.nodes;
    const isSameList = after.length === before.length && after.every((node, index) => node === before[index]);
    return isSameList ? changed : 'all';
  }

  #node(node: JobNode): JobNode {
    const id = jobNodeId(node);
    const known = this.#nodes.get(id) ?? node;
    this.#nodes.set(id, known);
    return known;
  }
}
