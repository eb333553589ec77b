import { mkdir, readdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createClient, type Client } from '../../../src/client/client.ts';
import { createControlClient, type ControlClient } from '../../../src/client/controlClient.ts';
import type { CreateEndpointBody } from '../../../src/contract/endpoint.ts';
import { isTerminal, type Job, type JobInput, type JobRequest } from '../../../src/contract/job.ts';
import { readEnvironment, type ReplayValues } from '../../../src/features/replay/actions/readEnvironment.ts';
import { replayJob, type Replay, type ReplayResult } from '../../../src/features/replay/actions/replayJob.ts';
import type { ReplaySubject } from '../../../src/features/replay/actions/replaySubject.ts';
import { SCRATCH_PREFIX } from '../../../src/features/replay/actions/scratchPlatform.ts';
import { recordedJobOf } from '../../../src/features/replay/actions/readPlatformJob.ts';
import { planReplay, type PlannedVolume } from '../../../src/features/replay/model/replayPlan.ts';
import { settingsOfEndpoint, type WorkerSettings } from '../../../src/features/replay/model/workerSettings.ts';
import { NO_VALUES } from '../../../src/features/manifest/actions/resolveBody.ts';
import type { PlatformOptions } from '../../../src/platform/daemon/start.ts';
import {
  dataDirectory,
  endpointBody,
  eventually,
  platformForTest,
  repository,
  type Api,
} from '../../platform/support.ts';
import { PLATFORM_PROGRAM } from '../../support/programs.ts';

const SDK = path.join(repository, 'samples/hello-queue/hello/serverless.mjs');

/** A worker of Node.js whose handler throws for an input without a text. */
export const NODE_WORKER = `import { serve } from ${JSON.stringify(SDK)};
async function handler({ input }) {
  if (input.print) console.log('key:', process.env.API_KEY);
  if (input.key) return { key: process.env.API_KEY };
  if (input.text === undefined) throw new TypeError('no text in the input');
  return { text: input.text.toUpperCase() };
}
await serve(handler);
`;

/** A worker of Python without dependencies, with errors in the format of the public SDK. */
export const PYTHON_WORKER = `import json, os, traceback, urllib.request

def handler(job):
    return {"text": job["input"]["text"].upper()}

def serve():
    key = {"Authorization": os.environ["RUNPOD_AI_API_KEY"]}
    while True:
        take = urllib.request.Request(os.environ["RUNPOD_WEBHOOK_GET_JOB"] + "&job_in_progress=0", headers=key)
        with urllib.request.urlopen(take) as response:
            body = response.read()
        if not body:
            continue
        job = json.loads(body)
        try:
            result = {"output": handler(job)}
        except Exception as error:
            result = {"error": json.dumps({
                "error_type": str(type(error)), "error_message": str(error), "error_traceback": traceback.format_exc(),
            })}
        address = os.environ["RUNPOD_WEBHOOK_POST_OUTPUT"].replace("$ID", job["id"])
        request = urllib.request.Request(
            address, data=json.dumps(result).encode(), headers={**key, "Content-Type": "application/json"})
        urllib.request.urlopen(request).close()

serve()
`;

/** A platform of the user with a worker in a directory of its own. */
export class ReplayWorld {
  readonly api: Api;
  readonly client: Client;
  readonly control: ControlClient;
  /** Data directory of the platform. */
  readonly dataDir: string;
  /** Directory of the worker. */
  readonly worker: string;

  private constructor(api: Api, dataDir: string, worker: string) {
    this.api = api;
    this.dataDir = dataDir;
    this.worker = worker;
    const options = { connection: api.addresses, fetch: globalThis.fetch };
    this.client = createClient(options);
    this.control = createControlClient(options);
  }

  static async create(files: Readonly<Record<string, string>>, options: PlatformOptions = {}): Promise<ReplayWorld> {
    const dataDir = path.join(await dataDirectory(), 'data');
    const worker = path.join(await dataDirectory(), 'worker');
    await mkdir(worker);
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(worker, name), text);
    const { api } = await platformForTest({ dataDir, ...options });
    return new ReplayWorld(api, dataDir, worker);
  }

  createNode(changes: Partial<CreateEndpointBody> = {}) {
    const image = `process:${this.worker}`;
    return this.client.createEndpoint({
      body: endpointBody({ name: 'upper', image, cmd: [process.execPath, 'handler.mjs'], ...changes }),
    });
  }

  /** Runs a job on the platform of the user, and describes it like a recording. */
  async run(endpointId: string, input: JobInput, policy?: JobRequest['policy']): Promise<ReplaySubject> {
    const { id: jobId } = await this.client.runJob({ endpointId, body: { input, ...(policy && { policy }) } });
    const job = await this.ended(endpointId, jobId);
    return this.subject(endpointId, jobId, job);
  }

  /** Resolves with a job once it has ended. */
  ended(endpointId: string, jobId: string): Promise<Job> {
    return eventually('the job has ended', async () => {
      const state = await this.client.getJobStatus({ endpointId, jobId });
      return isTerminal(state.status) && state;
    });
  }

  async subject(endpointId: string, jobId: string, job: Job): Promise<ReplaySubject> {
    const [endpoint, request, { aheadMs }, { faults }] = await Promise.all([
      this.client.getEndpoint({ id: endpointId }),
      this.control.getJobRequest({ endpointId, jobId }),
      this.control.getClock({}),
      this.control.listFaults({}),
    ]);
    const recorded = recordedJobOf({
      ...{ endpoint, request, job, submittedAt: Date.parse(request.createdAt), ran: request },
      local: { clockOffsetMs: aheadMs, faults },
    });
    if (!recorded) throw new Error('the job has not ended');
    return { recorded };
  }

  /** Plans and runs a replay with the settings of the deployed endpoint. */
  async replay(
    subject: ReplaySubject,
    endpointId: string,
    { values = NONE, volume, settings: changed, ...changes }: ReplayChanges = {},
  ): Promise<ReplayResult> {
    const settings = { ...settingsOfEndpoint(await this.client.getEndpoint({ id: endpointId })), ...changed };
    const source = 'endpoint';
    const read = await readEnvironment({ subject, settings, source, references: NO_VALUES, values });
    const { missingValues, missingSecrets } = read;
    const facts = { recorded: subject.recorded, settings, source, directoryExists: true, release: undefined } as const;
    const plan = planReplay({ ...facts, missingValues, missingSecrets, volume });
    return replayJob({
      ...{ subject, settings, plan, values: read, launch: { script: PLATFORM_PROGRAM, flags: FLAGS } },
      signal: new AbortController().signal,
      ...changes,
    });
  }
}

const NONE: ReplayValues = { get: () => Promise.resolve(undefined) };
const FLAGS = ['--runtime', 'process', '--gpus', 'ignore'];

interface ReplayChanges extends Partial<Omit<Replay, 'values' | 'settings'>> {
  readonly values?: ReplayValues;
  readonly volume?: PlannedVolume;
  readonly settings?: Partial<WorkerSettings>;
}

/** Returns the directories of replays that are left. */
export async function leftovers(): Promise<readonly string[]> {
  return (await readdir(os.tmpdir())).filter((name) => name.startsWith(SCRATCH_PREFIX));
}
