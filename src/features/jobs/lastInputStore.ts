import type * as vscode from 'vscode';
import * as z from 'zod';
import { JobRequest } from '../../contract/job.ts';
import { isObject } from './jobInput.ts';

const KEY = 'cloudCompute.jobs.lastInput';
const MOST_ENDPOINTS = 20;
/** Larger inputs, such as images in a text, are better kept in files. */
const MOST_CHARACTERS = 64 * 1024;

const Stored = z.record(z.string(), z.unknown());

/** The last job body sent to each endpoint, kept for this workspace on this machine only. */
export class LastInputStore {
  readonly #memento: vscode.Memento;

  constructor(memento: vscode.Memento) {
    this.#memento = memento;
  }

  get(endpointId: string): JobRequest | undefined {
    return this.#read()[endpointId];
  }

  async put(endpointId: string, body: JobRequest): Promise<void> {
    const { [endpointId]: replaced, ...others } = this.#read();
    const isKept = JSON.stringify(body).length <= MOST_CHARACTERS;
    const kept = Object.entries(others).slice(-MOST_ENDPOINTS + 1);
    await this.#memento.update(KEY, Object.fromEntries(isKept ? [...kept, [endpointId, body]] : kept));
  }

  #read(): Readonly<Record<string, JobRequest>> {
    const stored = Stored.safeParse(this.#memento.get(KEY)).data ?? {};
    const readable = Object.entries(stored).flatMap(([endpointId, body]) => {
      const parsed = JobRequest.safeParse(body);
      // Earlier versions stored inputs that are not objects.
      return parsed.success && isObject(parsed.data.input) ? [[endpointId, parsed.data] as const] : [];
    });
    return Object.fromEntries(readable);
  }
}
