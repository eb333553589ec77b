import * as z from 'zod';
import { withoutSecretValues } from '../../../../text/secretText.ts';
import type { EditedImage, EditSource, FinishedEdit } from '../../model/imageEdit.ts';
import { hashedName } from '../../../../text/fileNames.ts';

/* The JSON file of a kept edit. */

/** Extensions of files, without the dot. */
const EXTENSIONS = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
} as const satisfies Record<EditedImage['mediaType'], string>;

/** Returns the extension for files of a media type, without the dot. */
export function extensionOf(mediaType: EditedImage['mediaType']): string {
  return EXTENSIONS[mediaType];
}

const MediaType = z.enum(Object.keys(EXTENSIONS) as (keyof typeof EXTENSIONS)[]);

export const KeptRecord = z.object({
  version: z.literal(1),
  /** ID of the request. */
  id: z.string().min(1),
  /** Milliseconds since the epoch. */
  time: z.number(),
  parameters: z.object({
    prompt: z.string(),
    negativePrompt: z.string(),
    seed: z.number().optional(),
    format: z.enum(['png', 'jpeg']).optional(),
    safetyChecker: z.boolean().optional(),
  }),
  /** Address of the edited image, which expires. */
  url: z.string(),
  expiresAt: z.number(),
  cost: z.number().optional(),
  delayTime: z.number().optional(),
  executionTime: z.number().optional(),
  workerId: z.string().optional(),
  source: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('file'), name: z.string(), mediaType: MediaType, hasBytes: z.boolean() }),
    z.object({ kind: z.literal('url'), url: z.string() }),
    z.object({ kind: z.literal('result'), url: z.string(), editId: z.string() }),
  ]),
  image: z.object({ mediaType: MediaType, width: z.number(), height: z.number() }),
});
export type KeptRecord = z.infer<typeof KeptRecord>;

/** Maximum size of a source file that is kept, in bytes. */
export const MAX_SOURCE_BYTES = 16 * 1_048_576;

export interface NewRecord {
  readonly edit: FinishedEdit;
  readonly image: EditedImage;
  readonly source: EditSource;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** Returns the record of an edit. Query values of addresses that look like secrets are left out. */
export function recordOf({ edit, image, source, time }: NewRecord): KeptRecord {
  const { mediaType, width, height } = image;
  return {
    version: 1,
    ...edit,
    parameters: { ...edit.parameters },
    url: withoutSecretValues(edit.url),
    time,
    source: sourceOf(source),
    image: { mediaType, width, height },
  };
}

function sourceOf(source: EditSource): KeptRecord['source'] {
  if (source.kind !== 'file') return { ...source, url: withoutSecretValues(source.url) };
  const { name, mediaType, bytes } = source;
  const hasBytes = bytes.length <= MAX_SOURCE_BYTES;
  return { kind: 'file', name, mediaType, hasBytes };
}

/** Returns the edit of a record. */
export function editOf({ id, parameters, url, expiresAt, ...facts }: KeptRecord): FinishedEdit {
  const { cost, delayTime, executionTime, workerId } = facts;
  const { seed, format, safetyChecker } = parameters;
  return {
    id,
    parameters: { ...parameters, seed, format, safetyChecker },
    url,
    expiresAt,
    cost,
    delayTime,
    executionTime,
    workerId,
  };
}

export const isFolderName = (name: string): boolean => /^[0-9a-f]{32}$/.test(name);

/** Parses a record. Returns undefined for a damaged one, and for one of another edit. */
export function parseRecord(text: string, folderName: string): KeptRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const record = KeptRecord.safeParse(value).data;
  return record && hashedName(record.id) === folderName ? record : undefined;
}
