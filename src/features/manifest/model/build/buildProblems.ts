import { BUILD_DEFAULTS, type BuildPart } from '../../../../contract/imageBuild.ts';
import type { Manifest } from '../../../../contract/manifest.ts';
import { fieldError, type FieldError } from '../../../../contract/violation.ts';
import { referencesIn, referenceText } from '../../../../account/secrets/envReferences.ts';
import { commandOf, parseDockerfile, stageOf } from '../../../../machine/builder/dockerfile.ts';
import { keyKind } from '../../../../text/keyPatterns.ts';
import { problemOfViolation, type Located, type ManifestProblem } from '../problem.ts';

/* Problems of `x-build` that its schema does not show. */

/** The files that `x-build` names. */
export interface BuildFiles {
  /** Whether the folder of the context exists. */
  readonly hasContext: boolean;
  /** Text of the Dockerfile. Undefined if it cannot be read. */
  readonly dockerfile: string | undefined;
}

/** Returns the build arguments that the image must not contain: references, whose values are not known here, and keys. */
export function buildArgumentErrors(args: Readonly<Record<string, unknown>>): readonly FieldError[] {
  return Object.entries(args).flatMap(([argument, value]): FieldError[] => {
    if (typeof value !== 'string') return [];
    const path = ['x-build', 'args', argument];
    const [reference] = referencesIn(value);
    if (reference) return [fieldError(path, 'referenceInBuildArg', { reference: referenceText(reference) })];
    const looksLike = keyKind(argument, value);
    return looksLike === undefined ? [] : [fieldError(path, 'keyInBuildArg', { argument, looksLike })];
  });
}

/** Returns the problems of the build arguments of a parsed manifest. Never throws. */
export function buildArgumentProblems(located: Located, value: unknown): ManifestProblem[] {
  const { 'x-build': build } = value as { readonly 'x-build'?: { readonly args?: unknown } | null };
  const args = typeof build === 'object' ? build?.args : undefined;
  if (typeof args !== 'object' || args === null) return [];
  return buildArgumentErrors(args as Record<string, unknown>).map((error) => problemOfViolation(located, error));
}

/** Returns what a build would miss in the files, and a command that nothing sets. */
export function buildFileErrors(
  build: BuildPart,
  command: Pick<Manifest, 'args' | 'entrypoint' | 'cmd'>,
  { hasContext, dockerfile }: BuildFiles,
): readonly (FieldError & { readonly severity: 'error' | 'warning' })[] {
  const { context = BUILD_DEFAULTS.context, dockerfile: file = BUILD_DEFAULTS.dockerfile, target } = build;
  const path = (field: keyof BuildPart) => (build[field] === undefined ? ['x-build'] : ['x-build', field]);
  if (!hasContext)
    return [{ ...fieldError(path('context'), 'buildFolderMissing', { folder: context }), severity: 'error' }];
  if (dockerfile === undefined)
    return [{ ...fieldError(path('dockerfile'), 'dockerfileMissing', { file }), severity: 'error' }];
  const parsed = parseDockerfile(dockerfile);
  const stage = stageOf(parsed, target);
  if (!stage && target !== undefined) {
    const known = parsed.stages.flatMap(({ name }) => name ?? []);
    return [{ ...fieldError(path('target'), 'dockerfileWithoutStage', { stage: target, known }), severity: 'error' }];
  }
  const { args, entrypoint = [], cmd = [] } = command;
  if (!stage || args || entrypoint.length + cmd.length > 0) return [];
  const found = commandOf(parsed, stage);
  if (found.kind === 'own') return [];
  const base = found.kind === 'base' ? found.image : undefined;
  return [{ ...fieldError(path('dockerfile'), 'imageWithoutCommand', { base }), severity: base ? 'warning' : 'error' }];
}
