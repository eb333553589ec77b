import * as z from 'zod';
import { queue } from './operations/common.ts';
import { operation, type Method } from './operation.ts';

/*
 * The OpenAI-compatible API of a queue endpoint. Each request becomes a job whose input contains the path and the body of the request, as
 * public workers for language models expect. The worker defines the paths.
 */

/** Path of the API below the request address of a queue endpoint. */
export const OPENAI_PATH = '/openai';

/** Version segment of the API's paths, and its paths for models and chats below that segment. */
const VERSION = '/v1';
export const MODELS_PATH = '/models';
export const CHAT_PATH = '/chat/completions';

/** Returns the base path of the API, below the base address of an endpoint. */
export function openAiBase(endpointType: 'QUEUE' | 'LOAD_BALANCER'): string {
  return endpointType === 'QUEUE' ? `${OPENAI_PATH}${VERSION}` : VERSION;
}

/** Maximum number of segments of a path below `/openai`, such as the three of `/v1/chat/completions`. */
const MAX_SEGMENTS = 5;

/** Body of a request. The worker validates it. */
export const OpenAiBody = z.looseObject({ stream: z.boolean().nullish() });
export type OpenAiBody = z.infer<typeof OpenAiBody>;

/** Input of the job for a request. */
export interface OpenAiInput {
  readonly openai_route: string;
  /** Undefined for a request without a body. */
  readonly openai_input?: OpenAiBody | undefined;
}

/** Error that a worker returns as the output of a completed job. */
export const OpenAiWorkerError = z.looseObject({
  object: z.literal('error'),
  message: z.string(),
  code: z.int().min(400).max(599).optional().catch(undefined),
});

/** Returns the segments of the path as path parameters. */
export function openAiSegments(parameters: Readonly<Record<string, string>>): readonly string[] {
  return Array.from({ length: MAX_SEGMENTS }, (_, index) => parameters[`segment${index}`]).filter(
    (segment) => segment !== undefined,
  );
}

const template = (segments: number): `/{endpointId}${string}` =>
  `/{endpointId}${OPENAI_PATH}${Array.from({ length: segments }, (_, index) => `/{segment${index}}`).join('')}`;

const row = <Verb extends Method>(method: Verb, segments: number) =>
  operation({
    ...queue,
    method,
    path: template(segments),
    summary: 'Call the OpenAI-compatible API of a worker',
    ...(method === 'GET' ? {} : { body: OpenAiBody }),
    success: { status: 200, body: z.unknown() },
    errors: [400, 404, 500],
    limit: { requests: 2000, atOnce: 400 },
  });

const lengths = Array.from({ length: MAX_SEGMENTS }, (_, index) => index + 1);

/** Rows for paths of each length. They are not in the operation table, because the worker defines the paths. */
export const openAiOperations = lengths.flatMap((segments) => [row('GET', segments), row('POST', segments)]);
