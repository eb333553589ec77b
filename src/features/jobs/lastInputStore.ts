import type * as vscode from 'vscode';
import * as z from 'zod';
import { JobRequest } from '../../contract/job.ts';

const KEY = 'cloudCompute.jobs.lastInput';
const MOST_ENDPOINTS = 20;
/** Larger inputs, such as images in a text, are better kept in files. */
const MOST_CHARACTERS = 64 * 1024;

const Stored = z.record(z.string(), JobRequest);

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

  #read(): z.infer<typeof Stored> {
    const parsed = Stored.safeParse(this.#memento.get(KEY));
    return parsed.success ? parsed.data : {};
  }
}
