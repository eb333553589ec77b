const { options } = require('./.dependency-cruiser.cjs');

/** The code that the editor loads to activate the extension. Everything else is loaded with `import()` when it is needed. */
module.exports = {
  forbidden: [
    {
      name: 'activation-loads-no-schemas',
      comment:
        'The schemas of the contract and zod are as large as the rest of the activated code. The first request loads them. ' +
        'Stored state that an activation reads has the schemas of src/kit/smallSchema.ts.',
      severity: 'error',
      from: { path: '^src/extension\\.ts$' },
      to: { path: 'node_modules/zod/', reachable: true },
    },
  ],
  options: { ...options, exclude: { dynamic: true }, tsPreCompilationDeps: false },
};
