import path from 'node:path';
import { JsonProgress, LineProgress, type ProgressReader, type StepPlace } from './buildProgress.ts';
import type { Builder } from './findBuilder.ts';
import { runProgram } from './runProgram.ts';

/* Runs of a builder: builds, and transfers between the engine and a registry with the login of the user. None of them throws. */

export interface BuilderRun {
  /** Name of the image on the engine or in its registry, with a tag. */
  readonly image: string;
  /** Called with text for a terminal. */
  readonly onOutput: (text: string) => void;
  readonly signal: AbortSignal;
}

export interface BuildRun extends BuilderRun {
  /** Absolute path of the folder that is sent to the builder. */
  readonly context: string;
  /** Absolute path. */
  readonly dockerfile: string;
  readonly target?: string | undefined;
  readonly args?: Readonly<Record<string, string>> | undefined;
  readonly platform: string;
}

export type BuilderEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'canceled' }
  /** @property reason the last words of the program, which has no code for its errors */
  | { readonly kind: 'failed'; readonly reason: string; readonly place: StepPlace | undefined };

/** Builds an image on the engine of the builder. */
export function runBuild(builder: Builder, build: BuildRun): Promise<BuilderEnd> {
  const progress = builder.reportsJson ? new JsonProgress() : new LineProgress();
  return run(builder, buildArguments(builder, build), { ...build, directory: build.context, progress });
}

/** Pushes or pulls an image. A push sends only the layers that the registry does not have yet. */
export function runTransfer(builder: Builder, direction: 'push' | 'pull', transfer: BuilderRun): Promise<BuilderEnd> {
  return run(builder, [direction, transfer.image], { ...transfer, progress: new LineProgress() });
}

interface Run extends BuilderRun {
  readonly directory?: string;
  readonly progress: ProgressReader;
}

async function run(
  { program, globals, environment }: Builder,
  command: readonly string[],
  { onOutput, signal, directory, progress }: Run,
): Promise<BuilderEnd> {
  const args = [...globals, ...command];
  onOutput(`$ ${[program, ...args].map(quoted).join(' ')}\n`);
  const onLine = (line: string): void => {
    for (const shown of progress.read(line)) onOutput(`${shown}\n`);
  };
  const end = await runProgram({ file: program, args, environment, directory, onLine, signal });
  if (end.kind === 'exited' && end.code === 0) return { kind: 'done' };
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
