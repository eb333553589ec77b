import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { parseJson } from '../../../../contract/parsedJson.ts';
import { replaceFile } from '../../../../kit/replaceFile.ts';
import { recordingsFolder } from '../../model/deployment/recordingsFolder.ts';
import { contentHash } from './contentHash.ts';
import { fileURLToPath } from 'node:url';
import type { Manifest } from '../../../../contract/manifest.ts';

/* Verdicts of gates, in a file beside the recordings, by the hash of the content that they are about. */

const FILE = 'verdicts.json';
const MAX_VERDICTS = 50;

const facts = {
  /** SHA-256 of the content: see `contentHash`. */
  content: z.string(),
  at: z.iso.datetime(),
};

export const GateVerdict = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('run'),
    ...facts,
    passed: z.boolean(),
    /** Number of jobs that ran. */
    jobs: z.int(),
    /** The earlier version: a commit or an image. */
    base: z.string(),
  }),
  /** A person let this content pass without a passed gate. */
  z.strictObject({ kind: z.literal('override'), ...facts, reason: z.string().min(1) }),
]);
export type GateVerdict = z.infer<typeof GateVerdict>;

const Verdicts = z.strictObject({ version: z.literal(1), verdicts: z.array(GateVerdict) });

/** A manifest whose content a gate is about. */
export interface GatedManifest {
  /** Path of the file. */
  readonly manifest: string;
  /** The endpoint as the file has it, without an environment. */
  readonly value: unknown;
}

/** Reads the last verdict about the present content of a manifest. Undefined if there is none. A damaged file has none. */
export async function verdictOf({ manifest, value }: GatedManifest): Promise<GateVerdict | undefined> {
  const content = await contentHash(value, path.dirname(manifest));
  return (await readVerdicts(manifest)).findLast((verdict) => verdict.content === content);
}

/** Returns whether a verdict lets its content pass. */
export function letsPass(verdict: GateVerdict | undefined): boolean {
  return verdict?.kind === 'override' || verdict?.passed === true;
}

/** Stores a verdict. @throws the errors of the file system */
export async function storeVerdict(manifest: string, verdict: GateVerdict): Promise<void> {
  const others = (await readVerdicts(manifest)).filter(({ content }) => content !== verdict.content);
  const verdicts = [...others, verdict].slice(-MAX_VERDICTS);
  await mkdir(recordingsFolder(manifest), { recursive: true });
  await replaceFile(fileOf(manifest), (write) => write(`${JSON.stringify({ version: 1, verdicts }, null, 2)}\n`));
}

/** Lets the present content of a manifest pass, with the reason of a person. @throws the errors of the file system */
export async function overrideGate({ manifest, value }: GatedManifest, reason: string, at: number): Promise<void> {
  const content = await contentHash(value, path.dirname(manifest));
  await storeVerdict(manifest, { kind: 'override', content, at: new Date(at).toISOString(), reason });
}

async function readVerdicts(manifest: string): Promise<readonly GateVerdict[]> {
  const text = await readFile(fileOf(manifest), 'utf8').catch(() => undefined);
  return text === undefined ? [] : (Verdicts.safeParse(parseJson(text)).data?.verdicts ?? []);
}

function fileOf(manifest: string): string {
  return path.join(recordingsFolder(manifest), FILE);
}

/** Why the gate of a manifest does not let its content pass. `missing`: it has not run for exactly this content. `failed`: it failed. */
export type GateState = 'missing' | 'failed';

interface DeployedManifest {
  /** URI or path of the file. Undefined for a text without a file, which has no verdict. */
  readonly file: string | undefined;
  readonly manifest: Manifest;
  /** The endpoint as the file has it, without an environment. */
  readonly value: unknown;
  readonly target: 'local' | 'hosted';
}

/**
 * Returns why `x-gate` forbids the deployment of a manifest, or undefined if it may be deployed. The local platform needs no gate, because
 * workers are tried there.
 */
export async function gateStateOf(deployed: DeployedManifest): Promise<GateState | undefined> {
  const { manifest, value, target } = deployed;
  if (target === 'local' || manifest['x-gate']?.require !== true) return undefined;
  const file = pathOf(deployed.file);
  const verdict = file === undefined ? undefined : await verdictOf({ manifest: file, value });
  if (letsPass(verdict)) return undefined;
  return verdict ? 'failed' : 'missing';
}

/** Returns the manifest of a verdict. Undefined if its file is not on this machine. */
export function gatedOf({ file, value }: Pick<DeployedManifest, 'file' | 'value'>): GatedManifest | undefined {
  const manifest = pathOf(file);
  return manifest === undefined ? undefined : { manifest, value };
}

function pathOf(file: string | undefined): string | undefined {
  if (file === undefined || !/^[a-z][a-z0-9+.-]+:\/\//i.test(file)) return file;
  return file.startsWith('file:') ? fileURLToPath(file) : undefined;
}
