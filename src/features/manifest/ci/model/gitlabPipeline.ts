import { HOSTED_VARIABLES } from '../../../../account/connections/model/hostedVariables.ts';
import { gateCommands, indented, installCommands, quoted, type CiSetup } from './ciSetup.ts';

/* The pipeline for GitLab. */

/** The registry whose login GitLab gives to each job. */
const OWN_REGISTRY = 'registry.gitlab.com';

const { apiKey, baseUrl } = HOSTED_VARIABLES;

export function gitlabPipeline(setup: CiSetup): string {
  const { folder, program, registries, tests, gates } = setup;
  const hasGates = gates.length > 0;
  const beforeBuild = registries ? ' --before-build' : '';
  const check = [
    `cloud-compute check "$CLOUD_COMPUTE_FOLDER"${beforeBuild}`,
    `# Merge requests from forks have no key.
if [ -n "$${apiKey}" ]; then
  ${planCommand(beforeBuild)}
fi`,
    ...(registries ? ['cloud-compute build "$CLOUD_COMPUTE_FOLDER"'] : []),
    // Workers never see the key.
    ...(tests === 'processes' || hasGates ? [`unset ${apiKey}`] : []),
    ...(tests === 'processes'
      ? ['cloud-compute test "$CLOUD_COMPUTE_FOLDER" --reporter junit --output cloud-compute-tests.xml']
      : []),
    ...(hasGates && tests !== 'containers'
      ? [
          `git fetch --quiet origin "$CI_MERGE_REQUEST_TARGET_BRANCH_NAME"\n${gateCommands(gates, '"$(git rev-parse FETCH_HEAD)"')}`,
        ]
      : []),
  ];
  const required = [baseUrl, apiKey, ...setup.secrets.filter((name) => /^[A-Z_]\w*$/i.test(name))];
  const deploy = [
    required.map((name) => `: "\${${name}:?is not set}"`).join('\n'),
    ...(registries ?? []).map(login),
    ...(registries ? ['cloud-compute build "$CLOUD_COMPUTE_FOLDER" --push'] : []),
    planCommand(''),
    `cloud-compute deploy "$CLOUD_COMPUTE_FOLDER" --yes --rollback-on-failure${hasGates ? ' --gate' : ''}`,
  ];
  const artifacts = (report: boolean) => `  artifacts:
    when: always
    paths: [cloud-compute-plan.md]
    expose_as: Cloud Compute plan
${report ? '    reports:\n      junit: cloud-compute-tests.xml\n' : ''}`;
  return `# Checks the endpoints of a merge request, and deploys those of the default branch. "Add CI Workflow…" of Cloud Compute has written it.

.cloud-compute:
${image(registries !== undefined)}  variables:
${registries ? '    DOCKER_HOST: tcp://docker:2375\n    DOCKER_TLS_CERTDIR: ""\n' : ''}    CLOUD_COMPUTE_FOLDER: ${value(folder)}
${hasGates ? '    # Gates run earlier versions.\n    GIT_DEPTH: 0\n' : ''}    # The program, version ${program.version}. It can be moved to any server, because its files must have the digest.
    CLOUD_COMPUTE_VSIX: ${value(program.vsix)}
    CLOUD_COMPUTE_DIGEST: ${quoted(program.digest)}
  before_script:
${registries ? '    - apk add --no-cache curl nodejs unzip\n' : ''}${item(`directory=$(mktemp -d)
${installCommands('$directory')}
export PATH="$directory/bin:$PATH"
cd "$CI_PROJECT_DIR"`)}
cloud-compute-check:
  extends: .cloud-compute
  stage: test
  timeout: 30 minutes
  interruptible: true
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
${tests === 'containers' ? '  # To test the workers, a runner needs a container engine on its own machine. Then add: cloud-compute test "$CLOUD_COMPUTE_FOLDER"\n' : ''}  script:
${check.map(item).join('')}${artifacts(tests === 'processes')}
cloud-compute-deploy:
  extends: .cloud-compute
  stage: deploy
  timeout: 1 hour
  interruptible: false
  # Deployments run one after the other, and none is canceled.
  resource_group: cloud-compute
  environment: production
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && $CI_PIPELINE_SOURCE != "schedule"
  script:
${deploy.map(item).join('')}${artifacts(false)}`;
}

/** Writes the plan into a file and the log. */
function planCommand(flags: string): string {
  return `cloud-compute plan "$CLOUD_COMPUTE_FOLDER"${flags} --summary cloud-compute-plan.md || [ $? -eq 2 ]`;
}

/** The engine is a service, and the image of Docker's command line has Alpine's Node.js. */
function image(hasEngine: boolean): string {
  return hasEngine ? '  image: docker:28\n  services: ["docker:28-dind"]\n' : '  image: node:24\n';
}

/** Quotes the value of a variable, in which GitLab would replace other variables. */
function value(text: string): string {
  return quoted(text.replaceAll('$', '$$$$'));
}

function login(registry: string): string {
  const [user, password] =
    registry === OWN_REGISTRY
      ? ['CI_REGISTRY_USER', 'CI_REGISTRY_PASSWORD']
      : ['REGISTRY_USERNAME', 'REGISTRY_PASSWORD'];
  return `printf '%s' "$${password}" | docker login ${registry} --username "$${user}" --password-stdin`;
}

function item(commands: string): string {
  return indented(`- |\n${indented(commands, 2)}\n`, 4);
}
