import type { ServerResponse } from 'node:http';
import { systemClock } from '../../src/client/clock.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import type { ToolContext } from '../../src/agents/actions/agentTool.ts';
import { callTool } from '../../src/agents/actions/callTool.ts';
import { connectionWithoutEditor } from '../../src/agents/actions/withoutEditor.ts';
import { workspaceFiles } from '../../src/agents/actions/workspaceFiles.ts';
import { json, startScriptedServer, type Received } from '../client/scriptedServer.ts';
import { named } from '../features/endpoints/sample.ts';
import { toolNamed, type Outcome } from './world.ts';

/** Starts a platform that has one endpoint with the ID `e`, and responds to all other requests with a script. */
export async function scriptedTools(
  endpoint: Partial<Endpoint>,
  script: (request: Received, response: ServerResponse) => void,
) {
  const listed = named('e', endpoint);
  const server = await startScriptedServer((request, response) => {
    if (/\/serverless(\?|$)/.test(request.path)) json(response, 200, { endpoints: [listed] });
    else script(request, response);
  });
  const unused = () => Promise.reject(new Error('the call used the local platform'));
  const current = connectionWithoutEditor(server.client, { name: 'Test', isLocal: true, host: 'test' });
  const context: ToolContext = {
    connection: () => current,
    files: workspaceFiles([]),
    localPlatform: { isRunning: false, start: unused, control: unused },
    values: undefined,
    secrets: () => Promise.resolve([]),
    clock: systemClock,
    signal: new AbortController().signal,
    report: () => undefined,
  };
  return {
    ...server,
    context,
    /** Calls a tool without a question. */
    call: async (name: string, input: object, changes: Partial<ToolContext> = {}): Promise<Outcome> =>
      (await callTool(toolNamed(name), input, { ...context, ...changes })).value as Outcome,
  };
}
