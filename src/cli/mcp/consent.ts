import { createHash, randomBytes } from 'node:crypto';
import {
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type ClientCapabilities,
  type InputRequiredResult,
  type ServerContext,
  CLIENT_CAPABILITIES_META_KEY,
  type McpServer,
} from '@modelcontextprotocol/server';
import type { Confirmation } from '../../agents/actions/agentTool.ts';

/* The consent of the user to one call. The client shows the question, and calls the tool again with the answer. */

const KEY = 'consent';
/** Time for the user to answer, in seconds. */
const ANSWER_SECONDS = 3_600;

/** Signs the state between a question and its answer, so that an answer applies only to the question that was asked. */
export const consentState = createRequestStateCodec<string>({ key: randomBytes(32), ttlSeconds: ANSWER_SECONDS });

/** Returns whether a client can show a question with a form. A client that names no mode supports forms. */
export function canAsk(capabilities: ClientCapabilities | undefined): boolean {
  const { elicitation } = capabilities ?? {};
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** Returns `yes` or `no` if the user has answered this question, or else the request for an answer. */
export async function consentTo(
  { title, detail, content }: Confirmation,
  call: { readonly name: string; readonly args: unknown },
  { mcpReq }: ServerContext,
): Promise<'yes' | 'no' | InputRequiredResult> {
  const question = createHash('sha256')
    .update(JSON.stringify([title, detail, content, call]))
    .digest('base64');
  const response = inputResponse(mcpReq.inputResponses, KEY);
  // What a call does can change while the user reads, such as the differences of an update. The new question needs a new answer.
  if (response.kind === 'elicit' && mcpReq.requestState<string>() === question)
    return response.action === 'accept' && response.content?.['decision'] === 'allow' ? 'yes' : 'no';
  return inputRequired({
    inputRequests: {
      [KEY]: inputRequired.elicit({
        message: `${title}\n\n${detail}`,
        requestedSchema: {
          type: 'object',
          properties: {
            decision: {
              type: 'string',
              title: 'Decision',
              description: 'The agent continues only if you allow the call.',
              oneOf: [
                { const: 'allow', title: 'Allow' },
                { const: 'deny', title: 'Do not allow' },
              ],
            },
          },
          required: ['decision'],
        },
      }),
    },
    requestState: await consentState.mint(question),
  });
}

/** Returns what a client can do. Clients of the protocol from 2026 state it in each request, and older ones once. */
export function capabilitiesOf(server: McpServer, { mcpReq }: ServerContext): ClientCapabilities | undefined {
  const envelope: Partial<Record<string, unknown>> = mcpReq.envelope ?? {};
  const stated = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  return stated ?? initialCapabilities(server);
}

/** Returns what an older client stated when it connected. */
export function initialCapabilities({ server }: McpServer): ClientCapabilities | undefined {
  // oxlint-disable-next-line typescript/no-deprecated -- the only source for clients of the protocol before 2026
  return server.getClientCapabilities();
}
