import { parse } from 'jsonc-parser';
import * as z from 'zod';
import { HOSTED_VARIABLES } from '../../../../account/connections/model/hostedVariables.ts';
import { referencesOf } from '../../../../account/secrets/envReferences.ts';
import { parseImageReference } from '../../../../contract/imageReference.ts';
import { readFiles, readManifests, type FileTree } from '../../actions/readManifests.ts';
import { EXPECT_DIRECTIVE, HTTP_FILES, JOB_FILES } from '../../model/testFiles.ts';
import { parseManifestFile } from '../../model/text/parse.ts';
import type { CiGate, CiNeeds, CiService, CiSetup } from '../model/ciSetup.ts';
import { githubWorkflow } from '../model/githubWorkflow.ts';
import { gitlabPipeline } from '../model/gitlabPipeline.ts';

/* Plans the workflow of a CI service for a folder of manifests. */

/** Files of the services, relative to the repository. */
const GITHUB_FILE = '.github/workflows/cloud-compute.yml';
const GITLAB_FILE = '.gitlab-ci.yml';
const GITLAB_INCLUDED_FILE = '.gitlab/cloud-compute.yml';

export interface CiWorkflow {
  /** Path relative to the repository, with slashes. */
  readonly path: string;
  readonly text: string;
  /** Line that the user adds to `.gitlab-ci.yml`, which already exists. */
  readonly include: string | undefined;
  /** Names of the secrets and variables that the user sets at the service. */
  readonly secrets: readonly string[];
  readonly variables: readonly string[];
}

/** Returns the workflow. @param exists whether the repository has a file, by its path */
export function planCiWorkflow(service: CiService, setup: CiSetup, exists: (path: string) => boolean): CiWorkflow {
  const { registries = [], secrets, variables } = setup;
  const own = service === 'github' ? 'ghcr.io' : 'registry.gitlab.com';
  const needsLogin = registries.some((registry) => registry !== own);
  const settings = {
    secrets: [HOSTED_VARIABLES.apiKey, ...secrets, ...(needsLogin ? ['REGISTRY_USERNAME', 'REGISTRY_PASSWORD'] : [])],
    variables: [HOSTED_VARIABLES.baseUrl, ...variables],
  };
  if (service === 'github') return { path: GITHUB_FILE, text: githubWorkflow(setup), include: undefined, ...settings };
  const isIncluded = exists(GITLAB_FILE);
  return {
    path: isIncluded ? GITLAB_INCLUDED_FILE : GITLAB_FILE,
    text: gitlabPipeline(setup),
    include: isIncluded ? `include: [{ local: ${GITLAB_INCLUDED_FILE} }]` : undefined,
    ...settings,
  };
}

/** The members of a manifest or of a patch that a workflow depends on. A patch removes a variable with null. */
const Part = z.object({
  env: z.record(z.string(), z.unknown()).optional().catch(undefined),
  'x-gate': z.unknown().optional(),
  'x-build': z.object({ repository: z.string().optional() }).optional().catch(undefined),
  'x-local': z.object({ directory: z.string() }).optional().catch(undefined),
});

const Named = z.object({ name: z.string() });

const Environments = z.object({ 'x-environments': z.record(z.string(), z.object({ patch: z.unknown() })) });

/** Returns a manifest and the patches of its environments. */
function withPatches(manifest: unknown): readonly unknown[] {
  const { data } = Environments.safeParse(manifest);
  return [manifest, ...Object.values(data?.['x-environments'] ?? {}).map(({ patch }) => patch)];
}

/** Reads what the files of a folder require. @throws the error of the file system if the folder cannot be read */
export async function readCiNeeds<Place>(tree: FileTree<Place>, folder: Place, signal: AbortSignal): Promise<CiNeeds> {
  const [manifests, jobFiles, requestFiles] = await Promise.all([
    readManifests(tree, folder, signal),
    readFiles(tree, folder, JOB_FILES, signal),
    readFiles(tree, folder, HTTP_FILES, signal),
  ]);
  const files = manifests.map(({ path, content }) => ({
    path,
    values:
      'text' in content
        ? parseManifestFile(content.text, path.endsWith('.json') ? 'json' : 'yaml').parts.map(({ value }) => value)
        : [],
  }));
  const written = files.flatMap(({ values: parts }) => parts);
  const hasGate = (value: unknown) => Part.safeParse(value).data?.['x-gate'] !== undefined;
  const parts = written.flatMap(withPatches).flatMap((value) => Part.safeParse(value).data ?? []);
  const builds = parts.flatMap((part) => part['x-build'] ?? []);
  const values = parts.flatMap(({ env = {} }) => Object.values(env).filter((value) => typeof value === 'string'));
  const references = values.flatMap((value) => referencesOf({ value }));
  const namesOf = (kind: 'env' | 'secret') =>
    [...new Set(references.filter((one) => one.kind === kind).map(({ name }) => name))].sort();
  const hasJobTests = jobFiles.some(({ content }) => {
    const value: unknown = 'text' in content ? parse(content.text) : undefined;
    return typeof value === 'object' && value !== null && 'expect' in value;
  });
  const hasTests = hasJobTests || requestFiles.some(({ content }) => 'text' in content && hasExpectation(content.text));
  const inProcesses = written.every((value) => Part.safeParse(value).data?.['x-local'] !== undefined);
  return {
    registries:
      builds.length === 0
        ? undefined
        : [...new Set(builds.flatMap(({ repository = '' }) => parseImageReference(repository)?.registry ?? []))],
    tests: !hasTests ? 'none' : inProcesses ? 'processes' : 'containers',
    gates: files.flatMap(({ path, values: all }) =>
      all.filter(hasGate).map((value) => ({ path, ...(all.length > 1 && endpointIn(value)) })),
    ),
    secrets: namesOf('secret'),
    variables: namesOf('env'),
  };
}

function endpointIn(manifest: unknown): Pick<CiGate, 'endpoint'> {
  const { data } = Named.safeParse(manifest);
  return data ? { endpoint: data.name } : {};
}

function hasExpectation(text: string): boolean {
  return text.split(/\r\n|\r|\n/).some((line) => EXPECT_DIRECTIVE.test(line));
}
