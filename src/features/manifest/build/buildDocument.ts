import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { BUILD_DEFAULTS } from '../../../contract/imageBuild.ts';
import { imageName, isLocalImage, isTag, parseImageReference } from '../../../contract/imageReference.ts';
import { checkManifest, type Manifest } from '../../../contract/manifest.ts';
import { engineSettings } from '../../../account/localPlatform/localPlatformSettings.ts';
import { requireTrust, sourceOf } from '../../../account/consent/workspaceTrust.ts';
import { showMessage } from '../../../kit/messages.ts';
import { askText } from '../../../kit/steps.ts';
import { UserError } from '../../../kit/userError.ts';
import { runInTerminal } from '../../../kit/terminals.ts';
import { shown, type Showable } from '../../../text/shownText.ts';
import type { ChosenPart } from '../create/choosePart.ts';
import { writeChanges } from '../deployed/pullIntoDocument.ts';
import { refusal } from '../language/refusal.ts';
import { fileName, folderOf } from '../manifestFiles.ts';
import { buildFailureWords, pushFailureWords } from '../model/build/failureWords.ts';
import { valueOfTree } from '../model/text/node.ts';
import type { BuiltImage } from './actions/buildImage.ts';
import type { BuildProblems } from './buildProblems.ts';

export interface BuildServices {
  readonly problems: BuildProblems;
  /** Returns the kind of platform of the current connection. */
  readonly target: () => 'local' | 'hosted';
}

interface Source {
  readonly chosen: ChosenPart;
  readonly manifest: Manifest;
  readonly folder: string;
}

/** Builds the image of a manifest in a terminal. For the local platform, the manifest then has the image. */
export async function buildDocument(services: BuildServices, chosen: ChosenPart): Promise<void> {
  const source = await sourceFor(chosen, 'cloudCompute.manifest.build');
  const image = await runInTerminal(terminalOf(source), (print, signal) => built(services, source, { print, signal }));
  if (services.target() === 'local') await writeImage(chosen, image.reference);
  const { findings } = await checked(services, source, image);
  const message = shown`Built ${image.reference}.`;
  if (findings === 0) void showMessage('information', message);
}

/** Builds the image of a manifest, pushes it, and writes its reference with its digest into the manifest. */
export async function buildAndPushDocument(services: BuildServices, chosen: ChosenPart): Promise<void> {
  const source = await sourceFor(chosen, 'cloudCompute.manifest.buildAndPush');
  const { repository } = source.manifest['x-build'] ?? {};
  if (repository === undefined) throw new UserError(pushFailureWords({ code: 'noRepository' }));
  const tag = await askTag(repository, source.manifest.image);
  if (tag === undefined) return;
  const reference = await runInTerminal(terminalOf(source), async (print, signal) => {
    const image = await built(services, source, { print, signal, tag });
    const { errors } = await checked(services, source, image);
    if (errors > 0) throw new UserError(l10n.t('workers could not run the image; see the Problems view'));
    const { pushImage } = await import('./actions/pushImage.ts');
    const result = await pushImage({ image, repository, onOutput: print, signal });
    if (result.kind === 'failed') {
      if (result.failure.code === 'canceled') throw new vscode.CancellationError();
      throw new UserError(pushFailureWords(result.failure));
    }
    return result.reference;
  });
  await writeImage(chosen, reference);
  void showMessage('information', shown`Pushed ${reference}. ${fileName(chosen.document.uri)} is not saved yet.`);
}

/** @throws UserError if the manifest has no folder, no valid `x-build`, or another error of its shape */
async function sourceFor(
  chosen: ChosenPart,
  command: 'cloudCompute.manifest.build' | 'cloudCompute.manifest.buildAndPush',
): Promise<Source> {
  const { document, part } = chosen;
  const name = fileName(document.uri);
  requireTrust({ source: sourceOf(document.uri), process: undefined, deed: l10n.t('building an image') });
  const folder = folderOf(document.uri);
  if (folder === undefined) throw new UserError(shown`${name} is not in a folder of this machine`);
  // An image that is not built yet is an error of the manifest, but not of its shape.
  const { manifest } = checkManifest(part.patched ? valueOfTree(part.patched) : part.value);
  if (!manifest) throw await refusal(document, part.problems, command);
  const { 'x-build': build } = manifest;
  if (!build) throw new UserError(shown`${name} has no x-build. Add x-build: {} to build the Dockerfile in its folder`);
  await saveFiles(path.resolve(folder, build.context ?? BUILD_DEFAULTS.context));
  return { chosen, manifest, folder };
}

/** Saves the files of the context, because the builder reads them from the disk. */
async function saveFiles(context: string): Promise<void> {
  const isInside = ({ scheme, fsPath }: vscode.Uri) =>
    scheme === 'file' && !path.relative(context, fsPath).startsWith('..');
  const changed = vscode.workspace.textDocuments.filter(({ isDirty, uri }) => isDirty && isInside(uri));
  await Promise.all(changed.map((document) => document.save()));
}

function terminalOf({ manifest }: Source): { readonly name: Showable; readonly closing: Showable } {
  return {
    name: shown`Build of ${manifest.name}`,
    closing: l10n.t('Press any key to close the terminal.'),
  };
}

interface Run {
  readonly print: (text: string) => void;
  readonly signal: AbortSignal;
  readonly tag?: string;
}

/** @throws UserError */
async function built({ problems }: BuildServices, source: Source, { print, signal, tag }: Run): Promise<BuiltImage> {
  const { buildImage } = await import('./actions/buildImage.ts');
  const { readBuildFiles } = await import('./actions/readBuildFiles.ts');
  const { chosen, manifest, folder } = source;
  const { file } = await readBuildFiles(folder, manifest['x-build'] ?? {});
  problems.report(chosen.document.uri, chosen.part.index, []);
  problems.reportLine(file);
  const { containerEngine } = engineSettings();
  const engine = containerEngine.trim() === '' ? undefined : containerEngine.trim();
  const result = await buildImage({
    ...{ manifest, folder, tag, engine, environment: process.env, signal, onOutput: print },
  });
  if (result.kind === 'built') return result.image;
  const { failure } = result;
  if (failure.code === 'canceled') throw new vscode.CancellationError();
  if (failure.code === 'dockerfile') problems.reportLine(failure.file, failure);
  throw new UserError(buildFailureWords(failure));
}

/** Checks an image, and shows the findings as problems of the manifest. */
async function checked(
  { problems }: BuildServices,
  { chosen, manifest, folder }: Source,
  image: BuiltImage,
): Promise<{ readonly findings: number; readonly errors: number }> {
  const { checkImage } = await import('./actions/checkImage.ts');
  const findings = await checkImage({ image, manifest, folder });
  problems.report(chosen.document.uri, chosen.part.index, findings);
  return { findings: findings.length, errors: findings.filter(({ severity }) => severity === 'error').length };
}

/** Asks for the tag. The default is that of the current image, if it is in the repository. */
async function askTag(repository: string, image: string | undefined): Promise<string | undefined> {
  const current = image === undefined || isLocalImage(image) ? undefined : parseImageReference(image);
  const target = parseImageReference(repository);
  const isSame = current && target && imageName(current) === imageName(target);
  const answer = await askText({
    place: { title: l10n.t('Build and Push Image') },
    prompt: shown`Tag in ${repository}`,
    value: (isSame ? current.tag : undefined) ?? 'latest',
    problem: (text) => (isTag(text) ? undefined : buildFailureWords({ code: 'invalidTag', tag: text })),
  });
  return typeof answer === 'string' ? answer : undefined;
}

/** @throws UserError if the file has changed, or if the image comes from an anchor */
async function writeImage({ document, part }: ChosenPart, reference: string): Promise<void> {
  const { imageChanges } = await import('./actions/writeImage.ts');
  const { parseManifestFile } = await import('../model/text/parse.ts');
  const { languageOf } = await import('../manifestFiles.ts');
  // The user can have edited the manifest during the build.
  const parsed = parseManifestFile(document.getText(), languageOf(document.uri));
  const changes = imageChanges(parsed, part.index, reference, part.environment?.name);
  if (!changes)
    throw new UserError(shown`the image of ${fileName(document.uri)} comes from an anchor. Set it to ${reference}`);
  await writeChanges(document, parsed.text, changes);
}
