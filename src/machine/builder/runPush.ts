import { LineProgress } from './buildProgress.ts';
import type { Builder } from './findBuilder.ts';
import { runProgram } from './runProgram.ts';

/* Transfers between the engine and a registry, by the program of the user with its login. */

export type TransferEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'canceled' }
  /** @property reason the last words of the program, which has no code for its errors */
  | { readonly kind: 'failed'; readonly reason: string };

export interface Transfer {
  /** Name of the image with its registry and its tag. */
  readonly image: string;
  readonly onOutput: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Pushes or pulls an image. A push sends only the layers that the registry does not have yet. Never throws. */
export async function runTransfer(
  { program, globals, environment }: Builder,
  direction: 'push' | 'pull',
  { image, onOutput, signal }: Transfer,
): Promise<TransferEnd> {
  const progress = new LineProgress();
  const args = [...globals, direction, image];
  onOutput(`$ ${[program, ...args].join(' ')}\n`);
  const onLine = (line: string): void => {
    for (const shown of progress.read(line)) onOutput(`${shown}\n`);
  };
  const end = await runProgram({ file: program, args, environment, onLine, signal });
  if (end.kind === 'exited' && end.code === 0) return { kind: 'done' };
  if (signal.aborted) return { kind: 'canceled' };
  const reason = end.kind === 'missing' ? end.reason : (progress.reason ?? `${program} ended without a reason`);
  return { kind: 'failed', reason };
}
