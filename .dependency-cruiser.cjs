/**
 * Allowed imports between the folders of src, from the lowest to the highest: contract, client, text, kit, account, features, agents and cli.
 * The folder machine contains code about the local machine that the extension and the platform share. The platform and the webviews are
 * programs of their own.
 */
const only = (folder, allowed) => ({
  name: `${folder}-imports-only-${allowed.join('-') || 'itself'}`,
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: { path: '^src/', pathNot: [folder, ...allowed].map((name) => `^src/${name}/`) },
});

/** The features that each feature imports. They form no circle. */
const siblings = {
  endpoints: [],
  volumes: ['manifest'],
  manifest: ['endpoints'],
  logs: [],
  jobs: ['logs', 'manifest'],
  requests: ['jobs', 'manifest'],
  spend: ['endpoints', 'jobs', 'manifest'],
  images: [],
  local: ['jobs', 'manifest'],
  load: ['jobs', 'requests'],
  alerts: ['manifest'],
  gate: ['jobs', 'manifest'],
  replay: ['gate', 'jobs', 'local', 'manifest'],
  safety: ['jobs', 'local', 'manifest'],
  tuning: ['load', 'manifest'],
};

module.exports = {
  forbidden: [
    only('contract', []),
    only('client', ['contract']),
    only('machine', ['contract']),
    only('platform', ['machine', 'contract']),
    only('webviews', ['contract']),
    only('text', []),
    only('kit', ['text', 'client']),
    only('account', ['kit', 'text', 'machine', 'client', 'contract']),
    only('features', ['account', 'kit', 'text', 'machine', 'client', 'contract', 'webviews']),
    only('agents', ['features', 'account', 'kit', 'text', 'client', 'contract']),
    {
      name: 'kit-imports-only-clocks-and-errors-of-client',
      comment: 'Adapters wait with the clock of the client, and show its errors. They send no requests.',
      severity: 'error',
      from: { path: '^src/kit/' },
      to: { path: '^src/client/', pathNot: '^src/client/(clock|apiError)\\.ts$' },
    },
    ...Object.entries(siblings).map(([feature, allowed]) => ({
      name: `feature-${feature}-imports-only-${allowed.join('-') || 'itself'}`,
      severity: 'error',
      from: { path: `^src/features/${feature}/` },
      to: { path: '^src/features/', pathNot: [feature, ...allowed].map((name) => `^src/features/${name}/`) },
    })),
    {
      name: 'features-have-doors',
      comment: 'A feature imports only the index, the actions, and the models of another feature.',
      severity: 'error',
      from: { path: '^src/features/([^/]+)/' },
      to: {
        path: '^src/features/([^/]+)/',
        pathNot: ['^src/features/$1/', '^src/features/[^/]+/index\\.ts$', '^src/features/.+/(actions|model)/'],
      },
    },
    {
      name: 'agents-and-cli-use-actions',
      comment: 'Agents and the command line program share the parts of features that have no user interface.',
      severity: 'error',
      from: { path: '^src/(agents|cli)/' },
      to: {
        path: '^src/features/',
        pathNot: '^src/features/.+/(actions|model)/',
        dependencyTypesNot: ['type-only'],
      },
    },
    only('cli', ['agents', 'features', 'account', 'kit', 'text', 'machine', 'client', 'contract']),
    {
      name: 'cli-does-not-import-vscode',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: { path: '^vscode$|@types/vscode', reachable: true },
    },
    {
      name: 'features-import-only-messages-of-webviews',
      comment: 'A webview runs in a browser. The extension shares only the schemas of messages with it.',
      severity: 'error',
      from: { path: '^src/features/' },
      to: { path: '^src/webviews/', pathNot: '^src/webviews/[^/]+/messages\\.ts$' },
    },
    {
      name: 'webviews-import-only-types-of-contract',
      comment: 'The schemas would be a large part of a webview, and the client has already validated the data.',
      severity: 'error',
      from: { path: '^src/webviews/' },
      to: { path: '^src/contract/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'actions-and-models-do-not-import-vscode',
      comment: 'Commands ask questions and show progress and results. Actions and models run without an editor.',
      severity: 'error',
      from: { path: '^src/(agents|features/.+)/(actions|model)/' },
      to: { path: '^vscode$|@types/vscode', reachable: true },
    },
    {
      name: 'contract-imports-zod-only',
      severity: 'error',
      from: { path: '^src/contract/', pathNot: '^src/contract/(openapi|s3/xml)\\.ts$' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'core'], pathNot: 'node_modules/zod/' },
    },
    {
      name: 'xml-imports-its-parser-only',
      severity: 'error',
      from: { path: '^src/contract/s3/xml\\.ts$' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'core'], pathNot: 'node_modules/@rgrove/parse-xml/' },
    },
    {
      name: 'openapi-imports-zod-and-its-generator-only',
      severity: 'error',
      from: { path: '^src/contract/openapi\\.ts$' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'core'], pathNot: 'node_modules/zod(-openapi)?/' },
    },
    {
      name: 'extension-does-not-import-openapi',
      comment: 'Only the local platform and scripts generate the OpenAPI document.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(contract|platform)/' },
      to: { path: '^src/contract/openapi', reachable: true },
    },
    {
      name: 'domain-is-pure',
      comment: 'Decisions of the platform do not depend on storage, processes, or the network.',
      severity: 'error',
      from: { path: '^src/platform/domain/' },
      to: {
        path: '^src/platform/(routes|store|runtimes|workers|queue|endpoints|balancer|server|daemon|logs)/|^node:|^(fs|http|net|child_process)$',
      },
    },
    {
      name: 'daemon-alone-imports-sqlite',
      comment: 'Only the code that starts the platform selects the implementation of the store.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/platform/(daemon|store/sqlite)/' },
      to: { path: '^src/platform/store/sqlite/' },
    },
    {
      name: 'routes-do-not-import-the-store',
      comment: 'Routes use the domain. They do not call the store directly or use its types.',
      severity: 'error',
      from: { path: '^src/platform/routes/' },
      to: { path: '^src/platform/store/' },
    },
    {
      name: 'control-does-not-import-the-store',
      comment:
        'The control API has a narrow interface to the stored data, and names the contents and errors of a snapshot.',
      severity: 'error',
      from: { path: '^src/platform/control/', pathNot: '^src/platform/control/(contentsRoutes|controlServices)\\.ts$' },
      to: { path: '^src/platform/store/' },
    },
    {
      name: 'only-the-extension-imports-vscode',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(features/|account/|agents/|kit/|(main|extension)\\.ts$)' },
      to: { path: '^vscode$|@types/vscode' },
    },
    { name: 'no-cycles', severity: 'error', from: { path: '^src/' }, to: { circular: true } },
    {
      name: 'no-cycles-between-folders-of-the-platform',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/platform/[^/]+$' },
      to: { path: '^src/platform/[^/]+$', circular: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'default'],
    },
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
