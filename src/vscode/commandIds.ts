/** Every command of the product; a test holds this list and package.json together. */
export type CommandId =
  | 'cloudCompute.showLog'
  | 'cloudCompute.connect'
  | 'cloudCompute.disconnect'
  | 'cloudCompute.localPlatform.start'
  | 'cloudCompute.localPlatform.stop'
  | 'cloudCompute.endpoints.refresh'
  | 'cloudCompute.endpoints.delete'
  | 'cloudCompute.resources.refresh'
  | 'cloudCompute.resources.copyId'
  | 'cloudCompute.registries.create'
  | 'cloudCompute.registries.delete'
  | 'cloudCompute.manifest.createEndpoint'
  | 'cloudCompute.jobs.run'
  | 'cloudCompute.jobs.openRecent'
  | 'cloudCompute.logs.open'
  | 'cloudCompute.logs.stop'
  | 'cloudCompute.billing.open';
