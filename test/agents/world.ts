import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createClient, type Client } from '../../src/client/client.ts';
import { systemClock } from '../../src/client/clock.ts';
import { createControlClient } from '../../src/client/controlClient.ts';
import { s3AccessOf } from '../../src/client/s3/s3Connection.ts';
import type { CreateEndpointBody, Endpoint } from '../../src/contract/endpoint.ts';
import type { AgentTool, Confirmation, ToolContext } from '../../src/agents/actions/agentTool.ts';
import { callTool, type ToolCall } from '../../src/agents/actions/callTool.ts';
import { AGENT_TOOLS } from '../../src/agents/actions/tools/index.ts';
import { connectionWithoutEditor } from '../../src/agents/actions/withoutEditor.ts';
import { workspaceFiles } from '../../src/agents/actions/workspaceFiles.ts';
import { ToolError } from '../../src/agents/model/toolError.ts';
import { dataDirectory, endpointBody, platformForTest } from '../platform/support.ts';

export function toolNamed(name: string): AgentTool {
  const tool = AGENT_TOOLS.find((one) => one.name === name);
  assert.ok(tool, `there is a tool ${name}`);
  return tool;
}

interface WorldOptions {
  /** Whether the platform counts as a hosted one, which costs money. */
  readonly isHosted?: boolean;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly isConnected?: boolean;
}

/** What a tool returns. Tests check the members that they need. */
export type Outcome = Record<string, unknown> & {
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly remedy: string;
    readonly jobId?: string;
  };
};

/** A platform and a workspace that tools use, until `cleanUp`. */
export async function toolWorld({ isHosted = false, secrets = {}, isConnected = true }: WorldOptions = {}) {
  const { platform } = await platformForTest();
  const connection = platform.announcement;
  const client = createClient({ connection, fetch: globalThis.fetch, honorsIdempotencyKeys: true });
  const folder = await dataDirectory();
  const reports: string[] = [];
  const asked: Confirmation[] = [];
  const { host } = new URL(connection.baseUrl);
  const current = connectionWithoutEditor(client, {
    name: 'Test',
    isLocal: !isHosted,
    host,
    s3: s3AccessOf(connection),
  });
  const context: ToolContext = {
    connection: () => {
      if (!isConnected) throw new ToolError('notConnected', 'No platform is connected.');
      return current;
    },
    files: workspaceFiles([folder]),
    localPlatform: {
      isRunning: true,
      start: () => Promise.resolve(),
      control: () => Promise.resolve(createControlClient({ connection, fetch: globalThis.fetch })),
    },
    values: { variable: () => undefined, secret: (name) => Promise.resolve(secrets[name]) },
    secrets: () => Promise.resolve([connection.apiKey, ...Object.values(secrets)]),
    clock: systemClock,
    signal: new AbortController().signal,
    report: (progress) => void reports.push(progress),
  };
  return {
    ...{ client, folder, context, reports, asked, apiKey: connection.apiKey },
    /** Calls a tool, and agrees to its question. */
    call: async (name: string, input: object = {}, changes: Partial<ToolContext & ToolCall> = {}): Promise<Outcome> => {
      const { agree = agreeing(asked), agreed, ...rest } = changes;
      const called = await callTool(toolNamed(name), input, { ...context, ...rest }, { agree, agreed });
      const value = called.value as Outcome;
      assert.equal(called.isError, value.error !== undefined, called.text);
      assert.equal(called.text, JSON.stringify(value));
      return value;
    },
    /** Writes a file of the workspace. */
    write: async (name: string, content: string | object): Promise<void> => {
      const file = path.join(folder, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    },
  };
}

export type ToolWorld = Awaited<ReturnType<typeof toolWorld>>;

const agreeing = (asked: Confirmation[]) => (confirmation: Confirmation) => {
  asked.push(confirmation);
  return Promise.resolve(true);
};

/** Creates an endpoint with the worker of the platform's tests. */
export function createWorker(
  client: Client,
  name: string,
  changes: Partial<CreateEndpointBody> = {},
): Promise<Endpoint> {
  return client.createEndpoint({ body: endpointBody({ name, ...changes }) });
}
