import { callRoute } from '../../../../client/callRoute.ts';
import { parseJson } from '../../../../contract/parsedJson.ts';
import type { RequestContext } from '../../../../client/context.ts';
import { TOKENIZE_PATH, TokenizeAnswer } from '../../../../contract/openAiChat.ts';
import type { ChatModel } from '../../../../account/endpoints/chatModelStore.ts';

/** Time limit of a count, in ms. */
const LIMIT_MS = 2_000;

/**
 * Counts the tokens of a text with the tokenizer of a worker. Only load-balanced endpoints are asked, because a queue would make a job of each
 * count.
 *
 * @returns undefined if the worker has no tokenizer
 * @throws ApiError if there is no response
 */
export async function countTokens(
  { endpointId, endpointType, modelId }: Pick<ChatModel, 'endpointId' | 'endpointType' | 'modelId'>,
  text: string,
  { context, signal }: { readonly context: RequestContext; readonly signal: AbortSignal },
): Promise<number | undefined> {
  if (endpointType !== 'LOAD_BALANCER') return undefined;
  const { status, body } = await callRoute(
    context,
    {
      endpointId,
      endpointType,
      method: 'POST',
      path: TOKENIZE_PATH,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ model: modelId, prompt: text }),
    },
    { signal, timeout: LIMIT_MS },
  );
  if (status !== 200) return undefined;
  return TokenizeAnswer.safeParse(parseJson(new TextDecoder().decode(body))).data?.count;
}
