import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { ruleMessage } from '../../account/contractText.ts';
import { checkManifest } from '../../contract/manifest.ts';
import { formatPath } from '../../contract/violation.ts';
import { buildImage } from '../../features/manifest/build/actions/buildImage.ts';
import { checkImage } from '../../features/manifest/build/actions/checkImage.ts';
import { pushImage } from '../../features/manifest/build/actions/pushImage.ts';
import { imageChanges } from '../../features/manifest/build/actions/writeImage.ts';
import { explainObstacle } from '../../features/manifest/model/deployment/planWords.ts';
import { buildFailureWords, pushFailureWords } from '../../features/manifest/model/build/failureWords.ts';
import { readManifest, readManifests } from '../../features/manifest/actions/readManifests.ts';
import { applyChanges } from '../../features/manifest/model/editing/textChanges.ts';
import { parseManifestFile } from '../../features/manifest/model/text/parse.ts';
import type { ParsedFile, ParsedPart } from '../../features/manifest/model/text/parsed.ts';
import { environmentsOf, manifestIn } from '../../features/manifest/model/patched/environmentsOf.ts';
import { valueOfTree } from '../../features/manifest/model/text/node.ts';
import { environmentNamed } from '../deploy/chosenEnvironment.ts';
import { EngineError } from '../../machine/engine/engineApi.ts';
import { safe, withoutControls } from '../../text/shownText.ts';
import { folderAt, localFiles } from '../localFiles.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';

export interface BuildFlags {
  readonly folder: string;
  readonly push?: boolean | undefined;
  readonly tag?: string | undefined;
  readonly engine?: string | undefined;
  readonly environment?: string | undefined;
}

/** Builds the images of a folder, one after the other, and writes them into their manifests. */
export async function buildCommand(flags: BuildFlags, surroundings: Surroundings): Promise<number> {
  const { tell, signal } = surroundings;
  const folder = await folderAt(flags.folder);
  const files = await readManifests(localFiles, folder, signal);
  const { environment: chosen } = flags;
  if (chosen !== undefined) await environmentNamed(chosen, flags.folder, signal);
  const results: boolean[] = [];
  for (const { place, path: name, content } of files) {
    const file: ManifestFile = { place, name, tell: (line) => tell(withoutControls(`${name}: ${line}`)) };
    if ('unreadable' in content) {
      file.tell(explainObstacle({ kind: 'unreadable', reason: content.unreadable }).reason.text);
      results.push(false);
      continue;
    }
    for (const part of parsedOf(name, content.text).parts) {
      const { index } = part;
      const read = valueIn(part, chosen);
      if ('problem' in read) {
        file.tell(read.problem);
        results.push(false);
        continue;
      }
      const { value } = read;
      if (typeof value === 'object' && value !== null && 'x-build' in value) {
        results.push(await buildPart(file, { index, value }, flags, surroundings));
        if (signal.aborted) return EXIT_CODES.failed;
      }
    }
  }
  if (results.length === 0) tell(`${flags.folder} has no manifest with x-build`);
  return results.every(Boolean) ? EXIT_CODES.done : EXIT_CODES.failed;
}

/** Returns the value of a part as the chosen environment has it, or the reason why there is none. */
function valueIn(
  { root, value, problems }: ParsedPart,
  chosen: string | undefined,
): { readonly value: unknown } | { readonly problem: string } {
  const environments = environmentsOf(root);
  const environment = environments.find(({ name }) => name === chosen);
  if (chosen !== undefined && environments.length > 0 && !environment) {
    const known = environments.map(({ name }) => name);
    return { problem: explainObstacle({ kind: 'environment', chosen, known }).reason.text };
  }
  if (value === undefined) return { problem: problems.map(({ message }) => message).join('; ') };
  return { value: environment ? valueOfTree(manifestIn(environment, root)) : value };
}

interface ManifestFile {
  readonly place: string;
  /** Path relative to the folder, with slashes. */
  readonly name: string;
  /** Writes a line that begins with the name. */
  readonly tell: (line: string) => void;
}

/** Builds one image. Returns whether workers can run it. */
async function buildPart(
  { place, name, tell }: ManifestFile,
  { index, value }: { readonly index: number; readonly value: object },
  { push, tag, engine, environment: chosen }: BuildFlags,
  { environment, signal }: Surroundings,
): Promise<boolean> {
  const fail = (reason: string): false => {
    tell(reason);
    return false;
  };
  // An image that is not built yet is an error of the manifest, but not of its shape.
  const { manifest, violations } = checkManifest(value);
  if (!manifest) return fail(violations.map((one) => `${formatPath(one.path)}: ${ruleMessage(one)}`).join('; '));
  const folder = path.dirname(place);
  const onOutput = (text: string): void => void process.stderr.write(text);
  const result = await buildImage({ manifest, folder, tag, engine, environment, onOutput, signal });
  if (result.kind === 'failed') return fail(safe(buildFailureWords(result.failure)));
  const { image } = result;
  const findings = await checkImage({ image, manifest, folder }).catch((error: unknown) => {
    throw error instanceof EngineError ? new CannotRunError(`the image cannot be checked: ${error.message}`) : error;
  });
  for (const finding of findings) tell(`${formatPath(finding.path)}: ${ruleMessage(finding)}`);
  if (findings.some(({ severity }) => severity === 'error')) return false;
  let { reference } = image;
  if (push) {
    const pushed = await pushImage({ image, repository: manifest['x-build']?.repository, tag, onOutput, signal });
    if (pushed.kind === 'failed') return fail(safe(pushFailureWords(pushed.failure)));
    ({ reference } = pushed);
  }
  const isWritten = await writeReference({ place, name }, { part: index, reference, environment: chosen });
  if (!isWritten) return fail(`the manifest cannot be changed; set its image to ${reference}`);
  tell(reference);
  return true;
}

/** Writes the image into the manifest, which the user can have edited during the build. */
async function writeReference(
  { place, name }: Pick<ManifestFile, 'place' | 'name'>,
  built: { readonly part: number; readonly reference: string; readonly environment: string | undefined },
): Promise<boolean> {
  const content = await readManifest(localFiles, place);
  if ('unreadable' in content) return false;
  const { text } = content;
  const changes = imageChanges(parsedOf(name, text), built.part, built.reference, built.environment);
  if (!changes) return false;
  await writeFile(place, applyChanges(text, changes));
  return true;
}

function parsedOf(name: string, text: string): ParsedFile {
  return parseManifestFile(text, name.endsWith('.json') ? 'json' : 'yaml');
}
