/**
 * The arrows of the design: features -> vscode, client, contract; client -> contract; platform -> contract. Types only: webviews -> contract;
 * features -> webviews/*\/messages. What features and platform, two processes, both ask of the machine they share is in machine.
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
      name: 'features-import-only-messages-of-webviews',
      comment: 'A page runs in a browser. The editor shares only the shapes of their messages with it.',
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
      comment: 'The schemas of the wire would be a large part of a page, and the client has already applied them.',
      severity: 'error',
      from: { path: '^src/webviews/' },
      to: { path: '^src/contract/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'actions-have-no-user-interface',
      comment: 'Commands ask, show progress, and show results. Actions run without an editor.',
      severity: 'error',
      from: { path: '^src/features/[^/]+/actions/' },
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
      name: 'extension-loads-no-openapi',
      comment: 'Only the local platform and scripts generate the document.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(contract|platform)/' },
      to: { path: '^src/contract/openapi', reachable: true },
    },
    {
      name: 'domain-is-pure',
      comment: 'The decisions of the platform know neither storage, processes nor the network.',
      severity: 'error',
      from: { path: '^src/platform/domain/' },
      to: {
        path: '^src/platform/(routes|store|runtimes|workers|queue|endpoints|balancer|server|daemon|logs)/|^node:|^(fs|http|net|child_process)$',
      },
    },
    {
      name: 'routes-work-with-the-domain',
      comment: 'Routes never call the store past the domain, and do not know its types.',
      severity: 'error',
      from: { path: '^src/platform/routes/' },
      to: { path: '^src/platform/store/' },
    },
    {
      name: 'control-reads-snapshots-only',
      comment:
        'The control API has a narrow port to what is stored. It opens a store itself only to try an uploaded snapshot.',
      severity: 'error',
      from: { path: '^src/platform/control/', pathNot: '^src/platform/control/(contentsRoutes|controlServices)\\.ts$' },
      to: { path: '^src/platform/store/' },
    },
    {
      name: 'vscode-only-at-the-surface',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(features/|vscode/|extension\\.ts$)' },
      to: { path: '^vscode$|@types/vscode' },
    },
    { name: 'no-cycles', severity: 'error', from: { path: '^src/' }, to: { circular: true } },
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
