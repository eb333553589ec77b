import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readdirSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parse } from 'yaml';
import { JobRequest, type JobInput } from '../../src/contract/job.ts';
import { checkManifest, localCreateBody } from '../../src/contract/manifest.ts';
import type { CreateEndpointBody } from '../../src/contract/endpoint.ts';
import { python } from '../platform/pythonSdk.ts';
import { afterwards, repository } from '../platform/support.ts';

/** Folder of all samples. */
export const samples = path.join(repository, 'samples');

/** Names of all samples. */
export const sampleNames: readonly string[] = readdirSync(samples, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Returns the files of a sample that match a pattern, as paths relative to the sample. */
export function sampleFiles(sample: string, pattern: string): string[] {
  return globSync(pattern, { cwd: path.join(samples, sample), exclude: ['.venv'] });
}

/** Copies samples into a temporary folder, as a user would do. `cleanUp` deletes it. @returns the folder */
export async function copySamples(names: readonly string[]): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-samples-'));
  afterwards(() => rm(folder, { recursive: true, force: true }));
  for (const name of names) {
    const virtualEnvironment = path.join(samples, name, '.venv');
    const filter = (from: string) => from !== virtualEnvironment && path.basename(from) !== '__pycache__';
    await cp(path.join(samples, name), path.join(folder, name), { recursive: true, filter });
  }
  return folder;
}

/** Path of the interpreter in a virtual environment. Manifests contain the one of Linux and macOS. */
const INTERPRETER = '.venv/bin/python';
const WINDOWS_INTERPRETER = '.venv/Scripts/python.exe';

/**
 * Creates the virtual environment that the README of a sample describes. Its packages are those of the interpreter for tests, so the network is
 * not needed.
 */
export async function createVirtualEnvironment(sample: string): Promise<void> {
  const run = (file: string, ...args: string[]) => execFileSync(file, args, { cwd: sample, encoding: 'utf8' });
  run(python, '-m', 'venv', '--without-pip', '.venv');
  const folders = run(python, '-c', 'import sys; print("\\n".join(filter(None, sys.path)))');
  const isWindows = process.platform === 'win32';
  const interpreter = path.join(sample, isWindows ? WINDOWS_INTERPRETER : INTERPRETER);
  const packages = run(interpreter, '-c', 'import sysconfig; print(sysconfig.get_path("purelib"))').trim();
  await writeFile(path.join(packages, 'tests.pth'), folders);
  if (!isWindows) return;
  for (const file of globSync('*.endpoint.yaml', { cwd: sample })) {
    const manifest = path.join(sample, file);
    await writeFile(manifest, (await readFile(manifest, 'utf8')).replace(INTERPRETER, WINDOWS_INTERPRETER));
  }
}

/** Returns the body of the request that creates the endpoint of a manifest on the local platform. */
export async function createBody(manifestFile: string, env: Record<string, string> = {}): Promise<CreateEndpointBody> {
  const { manifest, violations } = checkManifest(parse(await readFile(manifestFile, 'utf8')));
  assert.deepEqual(violations, []);
  assert.ok(manifest);
  const body = localCreateBody(manifest, (directory) => path.join(path.dirname(manifestFile), directory));
  return { ...body, env: { ...body.env, ...env } };
}

/** Returns the input of a job file without comments. */
export async function inputOf(jobFile: string): Promise<JobInput> {
  return JobRequest.parse(JSON.parse(await readFile(jobFile, 'utf8'))).input;
}

/** Returns the first code block of a language in the README of a sample: the output that it promises. */
export async function promisedOutput(sample: string, language: 'json' | 'text'): Promise<string> {
  const text = (await readFile(path.join(samples, sample, 'README.md'), 'utf8')).replaceAll('\r\n', '\n');
  const [, block] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(text) ?? [];
  assert.ok(block !== undefined, `the README of ${sample} has a code block in ${language}`);
  return block;
}
