import path from 'node:path';
import { JsonProgress, LineProgress, type StepPlace } from './buildProgress.ts';
import type { Builder } from './findBuilder.ts';
import { runProgram } from './runProgram.ts';

/* One run of a builder. */

export interface BuildRun {
  /** Absolute path of the folder that is sent to the builder. */
  readonly context: string;
  /** Absolute path. */
  readonly dockerfile: string;
  readonly target?: string | undefined;
  readonly args?: Readonly<Record<string, string>> | undefined;
  readonly platform: string;
  /** Name of the image on the engine, with a tag. */
  readonly image: string;
  /** Called with text for a terminal. */
  readonly onOutput: (text: string) => void;
  readonly signal: AbortSignal;
}

export type BuildEnd =
  | { readonly kind: 'built' }
  | { readonly kind: 'canceled' }
  | { readonly kind: 'failed'; readonly reason: string; readonly place: StepPlace | undefined };

/** Builds an image on the engine of the builder. Never throws. */
export async function runBuild(builder: Builder, build: BuildRun): Promise<BuildEnd> {
  const { signal, onOutput, context } = build;
  const progress = builder.reportsJson ? new JsonProgress() : new LineProgress();
  const { program, environment } = builder;
  const args = [...builder.globals, ...buildArguments(builder, build)];
  onOutput(`$ ${[program, ...args].map(quoted).join(' ')}\n`);
  const onLine = (line: string): void => {
    for (const shown of progress.read(line)) onOutput(`${shown}\n`);
  };
  const end = await runProgram({ file: program, args, environment, directory: context, onLine, signal });
  if (end.kind === 'exited' && end.code === 0) return { kind: 'built' };
  if (signal.aborted) return { kind: 'canceled' };
  const reason = end.kind === 'missing' ? end.reason : (progress.reason ?? `${program} ended without a reason`);
  return { kind: 'failed', reason, place: progress.place };
}

function buildArguments({ kind, reportsJson }: Builder, build: BuildRun): string[] {
  const { context, dockerfile, target, args = {}, platform, image } = build;
  return [
    ...(kind === 'buildx'
      ? ['buildx', 'build', '--load', `--progress=${reportsJson ? 'rawjson' : 'plain'}`]
      : // Otherwise, the container of a step that failed remains on the engine.
        ['build', '--force-rm']),
    // The digest is that of one image, not of a list with statements about its build. Old versions add none.
    ...(reportsJson ? ['--provenance=false'] : []),
    `--platform=${platform}`,
    `--file=${dockerfile}`,
    `--tag=${image}`,
    ...(target === undefined ? [] : [`--target=${target}`]),
    ...Object.entries(args).map(([name, value]) => `--build-arg=${name}=${value}`),
    path.resolve(context),
  ];
}

/** Quotes an argument for display. */
function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
