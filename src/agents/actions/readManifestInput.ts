import path from 'node:path';
import { LONGEST_MANIFEST } from '../../features/manifest/model/text/bounds.ts';
import type { ManifestLanguage } from '../../features/manifest/model/text/node.ts';
import { ToolError } from '../model/toolError.ts';
import type { ToolContext } from './agentTool.ts';

const MANIFEST_NAME = /\.(ya?ml|json)$/i;

/** Arguments that name a manifest. */
export interface ManifestInput {
  readonly file?: string | undefined;
  readonly text?: string | undefined;
  readonly part?: number | undefined;
}

/** A manifest of a call. */
export interface GivenManifest {
  readonly text: string;
  readonly language: ManifestLanguage;
  /** Absolute path of the manifest's folder. Undefined for a text without a file. */
  readonly folder: string | undefined;
  /** Path of the file in the workspace, or `the given text`. */
  readonly name: string;
  readonly part: number;
}

/** Reads the manifest of a call. @throws ToolError if there is no such manifest, or unless exactly one of `file` and `text` is given */
export async function readManifestInput(
  { files }: Pick<ToolContext, 'files'>,
  { file, text, part = 0 }: ManifestInput,
): Promise<GivenManifest> {
  if ((file === undefined) === (text === undefined)) throw new ToolError('invalidInput', 'Give either file or text.');
  if (file === undefined) {
    const given = text ?? '';
    const language = given.trimStart().startsWith('{') ? 'json' : 'yaml';
    return { text: given, language, folder: undefined, name: 'the given text', part };
  }
  const found = await files.find(file);
  // The problems of a file quote it. Other files, such as `.env`, can contain secrets.
  if (!MANIFEST_NAME.test(found.name))
    throw new ToolError(
      'invalidInput',
      `${found.name} is no manifest. The name of a manifest ends with .yaml, .yml, or .json.`,
    );
  // A character has at most four bytes.
  const bytes = await files.read(file, 4 * LONGEST_MANIFEST);
  const language = found.name.endsWith('.json') ? 'json' : 'yaml';
  return { text: new TextDecoder().decode(bytes), language, folder: path.dirname(found.path), name: found.name, part };
}

/** Returns the kind of platform that a manifest is for. Without a connection, it is the local platform. */
export function targetOf(context: Pick<ToolContext, 'connection'>): 'local' | 'hosted' {
  try {
    return context.connection().isLocal ? 'local' : 'hosted';
  } catch (error) {
    if (error instanceof ToolError) return 'local';
    throw error;
  }
}
