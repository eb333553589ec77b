/* Fields that all rows of an address share. */

/** v2 management API. */
export const management = { address: 'baseUrl', errorFormat: 'problem', invalid: 422 } as const;

/** v1 management API. */
export const legacyManagement = { address: 'restUrl', errorFormat: 'message', invalid: 400 } as const;

/** Queue-based invocation. */
export const queue = { address: 'queueUrl', errorFormat: 'job', invalid: 400, tag: 'Jobs' } as const;
