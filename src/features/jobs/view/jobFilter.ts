import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { Emitter } from '../../../kit/emitter.ts';
import { stateKey, type StateStorage } from '../../../kit/keyedState.ts';
import type { StoredJob } from '../model/storedJob.ts';
import { stateOf, type JobState, JOB_STATES } from './jobRows.ts';

/** The jobs that the view shows. An empty list selects all states or all endpoints. */
export interface JobFilter {
  readonly states: readonly JobState[];
  readonly endpointIds: readonly string[];
}

export const EVERY_JOB: JobFilter = { states: [], endpointIds: [] };

export const stateLabels: Readonly<Record<JobState, string>> = {
  active: l10n.t('Unfinished'),
  completed: l10n.t('Completed'),
  failed: l10n.t('Failed'),
  canceled: l10n.t('Canceled'),
  gone: l10n.t('No Longer on the Platform'),
};

export function isFiltering({ states, endpointIds }: JobFilter): boolean {
  return states.length + endpointIds.length > 0;
}

/** Returns the jobs that match the filter, newest first. */
export function listed(jobs: readonly StoredJob[], { states, endpointIds }: JobFilter): readonly StoredJob[] {
  return jobs
    .filter((job) => states.length === 0 || states.includes(stateOf(job)))
    .filter(({ endpointId }) => endpointIds.length === 0 || endpointIds.includes(endpointId))
    .sort((a, b) => b.submittedAt - a.submittedAt);
}

/** Describes a filter, such as `failed · hello`. @param jobs jobs that contain the names of the endpoints */
export function filterWords({ states, endpointIds }: JobFilter, jobs: readonly StoredJob[]): string {
  const names = endpointsIn(jobs);
  return [states.map((state) => stateLabels[state].toLowerCase()), endpointIds.map((id) => names.get(id) ?? id)]
    .filter((group) => group.length > 0)
    .map((group) => group.join(l10n.t(' or ')))
    .join(' · ');
}

/** Returns the latest name of each endpoint with a job, by ID. @param jobs newest first */
export function endpointsIn(jobs: readonly StoredJob[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { endpointId, endpointName } of jobs) if (!names.has(endpointId)) names.set(endpointId, endpointName);
  return names;
}

const Stored = z.object({ states: z.array(z.enum(JOB_STATES)), endpointIds: z.array(z.string()) });

const keyOf = (connectionId: string) => stateKey(connectionId, 'jobs.filter');

/** Stores the filter of the jobs view for each connection, in the state of the workspace. */
export class JobFilterStore {
  readonly #storage: StateStorage;
  readonly #changed = new Emitter<string>();
  /** Fires with the ID of the connection whose filter changed. */
  readonly onDidChange = this.#changed.event;

  constructor(storage: StateStorage) {
    this.#storage = storage;
  }

  get(connectionId: string): JobFilter {
    return Stored.safeParse(this.#storage.get(keyOf(connectionId))).data ?? EVERY_JOB;
  }

  async set(connectionId: string, filter: JobFilter): Promise<void> {
    await this.#storage.update(keyOf(connectionId), isFiltering(filter) ? filter : undefined);
    this.#changed.fire(connectionId);
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
