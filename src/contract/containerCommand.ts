import * as z from 'zod';
import { parseJson } from './parsedJson.ts';
import { splitShellWords } from './shellWords.ts';
import { words } from './words.ts';

/** Command of a container in exec form. The image supplies a part that is undefined. */
export interface ContainerCommand {
  readonly entrypoint?: readonly string[] | undefined;
  readonly cmd?: readonly string[] | undefined;
}

const CommandObject = z.strictObject({
  entrypoint: z.array(z.string()).optional(),
  cmd: z.array(z.string()).optional(),
});

/** Describes a JSON object in `args` that is not a command. */
export const NOT_A_COMMAND = words`a JSON object in args can contain only entrypoint and cmd, each an array of strings`;

/**
 * Parses `args`, which has two forms. A JSON object `{entrypoint, cmd}` sets either part or both. Any other text is a shell string and
 * becomes CMD. The empty string clears both parts.
 *
 * @throws Error that describes the problem, `UnclosedQuoteError` for a shell string
 */
export function parseArgs(args: string): ContainerCommand {
  if (args.trim() === '') return {};
  if (args.trimStart().startsWith('{')) {
    const parsed = CommandObject.safeParse(parseJson(args));
    if (!parsed.success) throw new Error(NOT_A_COMMAND.toString());
    return parsed.data;
  }
  return { cmd: splitShellWords(args) };
}

/** Returns true if both are the same command. An absent part equals an empty one. */
export function sameCommand(left: ContainerCommand, right: ContainerCommand): boolean {
  return sameWords(left.entrypoint, right.entrypoint) && sameWords(left.cmd, right.cmd);
}

function sameWords(left: readonly string[] = [], right: readonly string[] = []): boolean {
  return left.length === right.length && left.every((word, index) => word === right[index]);
}
