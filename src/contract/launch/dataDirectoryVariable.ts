/** Environment variable with the data directory of the local platform that the command line program uses. */
export const DATA_DIRECTORY_VARIABLE = 'CLOUD_COMPUTE_DATA_DIR';
