import { HOSTED_VARIABLES } from '../../../../account/connections/model/hostedVariables.ts';
import { gateCommands, indented, installCommands, quoted, type CiSetup } from './ciSetup.ts';

/* The workflow for GitHub Actions. The actions have the commits that the workflows of this repository use. */

const CHECKOUT = 'actions/checkout@d23441a48e516b6c34aea4fa41551a30e30af803 # v6.1.0';
const SETUP_NODE = 'actions/setup-node@249970729cb0ef3589644e2896645e5dc5ba9c38 # v6.5.0';
/** The registry whose login is the token of the workflow. */
const OWN_REGISTRY = 'ghcr.io';

const { apiKey, ...ADDRESSES } = HOSTED_VARIABLES;

export function githubWorkflow(setup: CiSetup): string {
  const { folder, branch, program, registries, tests, gates } = setup;
  const beforeBuild = registries ? ' --before-build' : '';
  const plan = `cloud-compute plan "$CLOUD_COMPUTE_FOLDER"${beforeBuild} --summary "$GITHUB_STEP_SUMMARY" || [ $? -eq 2 ]`;
  const check = [
    step('Check the manifests', `cloud-compute check "$CLOUD_COMPUTE_FOLDER"${beforeBuild}`),
    step('Plan', plan, { condition: "env.HAS_KEY == 'true'", env: [secret(apiKey), ...values(setup)] }),
    ...(registries ? [step('Build the images', 'cloud-compute build "$CLOUD_COMPUTE_FOLDER"')] : []),
    ...(tests === 'none'
      ? []
      : [step('Test the workers', 'cloud-compute test "$CLOUD_COMPUTE_FOLDER"', { env: values(setup) })]),
    ...(gates.length === 0
      ? []
      : [
          step('Run the gates', gateCommands(gates, '"origin/$GITHUB_BASE_REF"', ' --summary "$GITHUB_STEP_SUMMARY"'), {
            env: values(setup),
          }),
        ]),
  ];
  const required = [HOSTED_VARIABLES.baseUrl, apiKey, ...names(setup.secrets)];
  const deploy = [
    step('Require the variable and the secrets', required.map((name) => `: "\${${name}:?is not set}"`).join('\n'), {
      env: [secret(apiKey), ...names(setup.secrets).map(secret)],
    }),
    ...(registries ?? []).map(login),
    ...(registries ? [step('Build and push the images', 'cloud-compute build "$CLOUD_COMPUTE_FOLDER" --push')] : []),
    step('Plan', plan.replace(' --before-build', ''), { env: [secret(apiKey), ...values(setup)] }),
    step(
      'Deploy, verify, and roll back on failure',
      'cloud-compute deploy "$CLOUD_COMPUTE_FOLDER" --yes --rollback-on-failure' + (gates.length > 0 ? ' --gate' : ''),
      {
        env: [secret(apiKey), ...values(setup)],
      },
    ),
  ];
  const usesToken = registries?.includes(OWN_REGISTRY) === true;
  return `# Checks the endpoints of a pull request, and deploys those of the default branch. "Add CI Workflow…" of Cloud Compute has written it.
name: Cloud Compute

on:
  pull_request:
  push:
    branches: [${quoted(branch)}]

# A push to a pull request cancels the check of the previous one. Deployments run one after the other, and none is canceled.
concurrency:
  group: cloud-compute-\${{ github.event_name == 'pull_request' && github.ref || 'deploy' }}
  cancel-in-progress: \${{ github.event_name == 'pull_request' }}

permissions:
  contents: read

defaults:
  run:
    shell: bash

env:
  CLOUD_COMPUTE_FOLDER: ${quoted(folder.replaceAll('${{', "${{ '${{' }}"))}
  # The program, version ${program.version}. It can be moved to any server, because its files must have the digest.
  CLOUD_COMPUTE_VSIX: ${quoted(program.vsix)}
  CLOUD_COMPUTE_DIGEST: ${quoted(program.digest)}
  # The platform, as variables of the repository. Only the first one is required.
${Object.values(ADDRESSES)
  .map((name) => `  ${name}: \${{ vars.${name} }}\n`)
  .join('')}
jobs:
  check:
    name: Check and plan
    if: github.event_name == 'pull_request'
    runs-on: ubuntu-24.04
    timeout-minutes: 30
    # Conditions of steps cannot read secrets, and pull requests from forks have none.
    env:
      HAS_KEY: \${{ secrets.${apiKey} != '' }}
    steps:
${[...begin(setup), ...check].join('')}
  deploy:
    name: Deploy
    if: github.event_name == 'push'
    runs-on: ubuntu-24.04
    timeout-minutes: 60
    environment: production
${usesToken ? '    permissions:\n      contents: read\n      packages: write\n' : ''}    steps:
${[...begin(setup), ...deploy].join('')}`;
}

function begin({ gates }: CiSetup): readonly string[] {
  const install = `${installCommands('$RUNNER_TEMP')}\necho "$RUNNER_TEMP/bin" >> "$GITHUB_PATH"`;
  return [
    `      - uses: ${CHECKOUT}\n        with:\n          persist-credentials: false\n${gates.length > 0 ? '          # Gates run earlier versions.\n          fetch-depth: 0\n' : ''}`,
    `      - uses: ${SETUP_NODE}\n        with:\n          node-version: 24\n          package-manager-cache: false\n`,
    step('Install Cloud Compute', install),
  ];
}

/** A variable of a step with its value. */
type Variable = readonly [name: string, value: string];

const secret = (name: string): Variable => [name, `\${{ secrets.${name} }}`];

/** Returns the values of the references in manifests. */
function values({ secrets, variables }: CiSetup): readonly Variable[] {
  return [...names(secrets).map(secret), ...names(variables).map((name): Variable => [name, `\${{ vars.${name} }}`])];
}

/** Returns the names that secrets and variables of the service can have. */
function names(all: readonly string[]): readonly string[] {
  return all.filter((name) => /^(?!GITHUB_)[A-Z_]\w*$/i.test(name));
}

function login(registry: string): string {
  const [user, password]: readonly [string, string] =
    registry === OWN_REGISTRY
      ? ['${{ github.actor }}', '${{ github.token }}']
      : ['${{ secrets.REGISTRY_USERNAME }}', '${{ secrets.REGISTRY_PASSWORD }}'];
  const command = `docker login ${registry} --username "$REGISTRY_USERNAME" --password-stdin <<< "$REGISTRY_PASSWORD"`;
  return step(`Log in to ${registry}`, command, {
    env: [
      ['REGISTRY_USERNAME', user],
      ['REGISTRY_PASSWORD', password],
    ],
  });
}

function step(
  name: string,
  commands: string,
  { condition, env = [] }: { readonly condition?: string; readonly env?: readonly Variable[] } = {},
): string {
  const lines = [
    `- name: ${name}`,
    ...(condition === undefined ? [] : [`  if: ${condition}`]),
    ...(/[\n#]|: /.test(commands) ? ['  run: |', indented(commands, 4)] : [`  run: ${commands}`]),
    ...(env.length > 0 ? ['  env:', ...env.map(([variable, value]) => `    ${variable}: ${value}`)] : []),
  ];
  return indented(`${lines.join('\n')}\n`, 6);
}
