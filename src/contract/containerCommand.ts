import * as z from 'zod';
import { splitShellWords } from './shellWords.ts';

/** A container's command in exec form. An undefined part is left to the image. */
export interface ContainerCommand {
  readonly entrypoint?: readonly string[] | undefined;
  readonly cmd?: readonly string[] | undefined;
}

const CommandObject = z.strictObject({
  entrypoint: z.array(z.string()).optional(),
  cmd: z.array(z.string()).optional(),
});

/**
 * Reads `args` in its two shapes (interface document, rule 1): a JSON object `{entrypoint, cmd}` sets either or both; anything
 * else is a shell string and becomes CMD. The empty string clears both.
 *
 * @throws Error whose message says what is wrong with the text.
 */
export function parseArgs(args: string): ContainerCommand {
  if (args.trim() === '') return {};
  if (args.trimStart().startsWith('{')) {
    const parsed = CommandObject.safeParse(parseJson(args));
    if (!parsed.success) {
      throw new Error('a JSON object in args holds only entrypoint and cmd, each an array of strings');
    }
    return parsed.data;
  }
  return { cmd: splitShellWords(args) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether both parts are the same command; a part that is absent and one that is empty are the same. */
export function sameCommand(left: ContainerCommand, right: ContainerCommand): boolean {
  return sameWords(left.entrypoint, right.entrypoint) && sameWords(left.cmd, right.cmd);
}

function sameWords(left: readonly string[] = [], right: readonly string[] = []): boolean {
  return left.length === right.length && left.every((word, index) => word === right[index]);
}
