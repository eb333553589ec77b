import { parse } from 'jsonc-parser';
import * as z from 'zod';
import { HOSTED_VARIABLES } from '../../../../account/connections/model/hostedVariables.ts';
import { referencesOf } from '../../../../account/secrets/envReferences.ts';
import { Environment } from '../../../../contract/environment.ts';
import { parseImageReference } from '../../../../contract/imageReference.ts';
import { MAX_RUN_BYTES } from '../../../../contract/job.ts';
import { JOB_FILE_SUFFIX } from '../../../../contract/jobFile.ts';
import { readFiles, readManifests, type FileTree } from '../../actions/readManifests.ts';
import { parseManifestFile } from '../../model/text/parse.ts';
import type { CiNeeds, CiService, CiSetup } from '../model/ciSetup.ts';
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
export async function planCiWorkflow(
  service: CiService,
  setup: CiSetup,
  exists: (path: string) => Promise<boolean>,
): Promise<CiWorkflow> {
  const { registries = [], secrets, variables } = setup;
  const own = service === 'github' ? 'ghcr.io' : 'registry.gitlab.com';
  const needsLogin = registries.some((registry) => registry !== own);
  const settings = {
    secrets: [HOSTED_VARIABLES.apiKey, ...secrets, ...(needsLogin ? ['REGISTRY_USERNAME', 'REGISTRY_PASSWORD'] : [])],
    variables: [HOSTED_VARIABLES.baseUrl, ...variables],
  };
  if (service === 'github') return { path: GITHUB_FILE, text: githubWorkflow(setup), include: undefined, ...settings };
  const isIncluded = await exists(GITLAB_FILE);
  return {
    path: isIncluded ? GITLAB_INCLUDED_FILE : GITLAB_FILE,
    text: gitlabPipeline(setup),
    include: isIncluded ? `include: [{ local: ${GITLAB_INCLUDED_FILE} }]` : undefined,
    ...settings,
  };
}

/** The members of a manifest that a workflow depends on. */
const Part = z.object({
  env: Environment.optional().catch(undefined),
  'x-build': z.object({ repository: z.string().optional() }).optional().catch(undefined),
  'x-local': z.object({ directory: z.string() }).optional().catch(undefined),
});

const JOB_FILES = { name: new RegExp(`${JOB_FILE_SUFFIX.replaceAll('.', '\\.')}$`), maxBytes: 2 * MAX_RUN_BYTES };

/** Reads what the files of a folder require. @throws the error of the file system if the folder cannot be read */
export async function readCiNeeds<Place>(tree: FileTree<Place>, folder: Place, signal: AbortSignal): Promise<CiNeeds> {
  const [manifests, jobFiles] = await Promise.all([
    readManifests(tree, folder, signal),
    readFiles(tree, folder, JOB_FILES, signal),
  ]);
  const parts = manifests.flatMap(({ path, content }) =>
    'text' in content
      ? parseManifestFile(content.text, path.endsWith('.json') ? 'json' : 'yaml').parts.flatMap(
          ({ value }) => Part.safeParse(value).data ?? [],
        )
      : [],
  );
  const builds = parts.flatMap((part) => part['x-build'] ?? []);
  const references = parts.flatMap(({ env }) => referencesOf(env));
  const namesOf = (kind: 'env' | 'secret') =>
    [...new Set(references.filter((one) => one.kind === kind).map(({ name }) => name))].sort();
  const hasTests = jobFiles.some(({ content }) => {
    const value: unknown = 'text' in content ? parse(content.text) : undefined;
    return typeof value === 'object' && value !== null && 'expect' in value;
  });
  const inProcesses = parts.every((part) => part['x-local'] !== undefined);
  return {
    registries:
      builds.length === 0
        ? undefined
        : [...new Set(builds.flatMap(({ repository = '' }) => parseImageReference(repository)?.registry ?? []))],
    tests: !hasTests ? 'none' : inProcesses ? 'processes' : 'containers',
    secrets: namesOf('secret'),
    variables: namesOf('env'),
  };
}
