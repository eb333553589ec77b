import { parseJson } from '../../../../contract/parsedJson.ts';
import type { RequestContext } from '../../../../client/context.ts';
import { MODELS_PATH, openAiBase } from '../../../../contract/openAi.ts';
import { OpenAiModelList, type OpenAiModel } from '../../../../contract/openAiChat.ts';
import { sendRequest, type ResponseHead } from '../../actions/sendRequest.ts';
import type { WaitOptions } from '../../actions/untilWorkerReady.ts';

export interface ChatEndpoint {
  readonly endpointId: string;
  readonly endpointType: 'QUEUE' | 'LOAD_BALANCER';
}

/** The models of a worker, or the status of a worker without such a route. */
export type ModelList =
  { readonly models: readonly OpenAiModel[] } | { readonly status: number; readonly isJson: boolean };

/**
 * Reads the models of an OpenAI-compatible worker. Waits for a worker to start.
 *
 * @throws ApiError if there is no response
 */
export async function listModels(
  endpoint: ChatEndpoint,
  options: WaitOptions & { readonly context: RequestContext },
): Promise<ModelList> {
  const chunks: Uint8Array[] = [];
  let head: ResponseHead | undefined;
  const request = { ...endpoint, method: 'GET', path: openAiBase(endpoint.endpointType) + MODELS_PATH } as const;
  await sendRequest(request, {
    ...options,
    observer: {
      waiting: (elapsedMs) => options.observer.waiting(elapsedMs),
      retrying: (pauseMs) => options.observer.retrying(pauseMs),
      head: (begun) => (head = begun),
      chunk: (chunk) => chunks.push(chunk),
    },
  });
  const { status = 0 } = head ?? {};
  const json = parseJson(new TextDecoder().decode(Buffer.concat(chunks)));
  const models = status === 200 ? OpenAiModelList.safeParse(json).data : undefined;
  if (!models) return { status, isJson: json !== undefined };
  return { models: [...new Map(models.data.map((model) => [model.id, model])).values()] };
}
