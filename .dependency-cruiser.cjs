/**
 * Allowed imports between the folders of src. Features import vscode, client, machine, and contract. The client imports the contract, and
 * the platform imports machine and the contract. The command line program imports the actions and models of features. Type-only imports: webviews import the contract, and features import the messages of
 * webviews. The folder machine contains code about the local machine that features and the platform share.
 */
const only = (folder, allowed) => ({
  name: `${folder}-imports-only-${allowed.join('-') || 'itself'}`,
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: { path: '^src/', pathNot: [folder, ...allowed].map((name) => `^src/${name}/`) },
});

module.exports = {
  forbidden: [
    only('contract', []),
    only('client', ['contract']),
    only('machine', ['contract']),
    only('platform', ['machine', 'contract']),
    only('webviews', ['contract']),
    only('vscode', ['client', 'contract']),
    only('features', ['vscode', 'client', 'machine', 'contract', 'webviews']),
    {
      name: 'cli-imports-only-client-machine-contract-actions-and-models',
      comment: 'The command line program shares the parts of features that have no user interface.',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: { path: '^src/', pathNot: ['^src/(cli|client|machine|contract)/', '^src/features/.+/(actions|model)/'] },
    },
    {
      name: 'cli-does-not-import-vscode',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: { path: '^vscode$|@types/vscode', reachable: true },
    },
    {
      name: 'features-import-only-messages-of-webviews',
      comment: 'A webview runs in a browser. The extension shares only the types of messages with it.',
      severity: 'error',
      from: { path: '^src/features/' },
      to: { path: '^src/webviews/', pathNot: '^src/webviews/[^/]+/messages\\.ts$' },
    },
    {
      name: 'features-import-only-types-of-webviews',
      severity: 'error',
      from: { path: '^src/features/' },
      to: { path: '^src/webviews/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'webviews-import-only-types-of-contract',
      comment: 'The schemas would be a large part of a webview, and the client has already validated the data.',
      severity: 'error',
      from: { path: '^src/webviews/' },
      to: { path: '^src/contract/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'actions-do-not-import-vscode',
      comment: 'Commands ask questions and show progress and results. Actions run without an editor.',
      severity: 'error',
      from: { path: '^src/features/.+/actions/' },
      to: { path: '^vscode$|@types/vscode', reachable: true },
    },
    {
      name: 'contract-imports-zod-only',
      severity: 'error',
      from: { path: '^src/contract/', pathNot: '^src/contract/openapi\\.ts$' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'core'], pathNot: 'node_modules/zod/' },
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
      name: 'only-features-and-adapters-import-vscode',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(features/|vscode/|(main|extension)\\.ts$)' },
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
