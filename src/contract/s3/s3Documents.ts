import { xmlDocument, type XmlValue } from './xml.ts';

/* XML documents of the S3 subset. Times are RFC 3339 date-times, and sizes are bytes. ETags include their quotation marks. */

export const S3ErrorDocument = xmlDocument('Error', {
  Code: 'text',
  Message: 'text?',
  Resource: 'text?',
  RequestId: 'text?',
  BucketName: 'text?',
  Key: 'text?',
});

export const S3Buckets = xmlDocument('ListAllMyBucketsResult', {
  Owner: { ID: 'text', DisplayName: 'text?' },
  Buckets: { Bucket: [{ Name: 'text', CreationDate: 'text' }] },
});

/** Empty for `us-east-1`. It is the text of the root element itself, which no shape describes. */
export const S3Location = xmlDocument('LocationConstraint', {});

const object = {
  Key: 'text',
  LastModified: 'text',
  ETag: 'text',
  Size: 'integer',
  StorageClass: 'text?',
} as const;
export type S3Object = XmlValue<typeof object>;

const listing = {
  Name: 'text',
  Prefix: 'text?',
  Delimiter: 'text?',
  MaxKeys: 'integer',
  EncodingType: 'text?',
  IsTruncated: 'flag',
  Contents: [object],
  CommonPrefixes: [{ Prefix: 'text' }],
} as const;

/** ListObjectsV2, whose requests have `list-type=2`. */
export const S3Objects = xmlDocument('ListBucketResult', {
  ...listing,
  KeyCount: 'integer?',
  StartAfter: 'text?',
  ContinuationToken: 'text?',
  NextContinuationToken: 'text?',
});

/** ListObjects, the first version. `NextMarker` is present only with a delimiter; otherwise the last key is the next marker. */
export const S3ObjectsV1 = xmlDocument('ListBucketResult', { ...listing, Marker: 'text?', NextMarker: 'text?' });

/** Empty, because objects have no versions. */
export const S3Versioning = xmlDocument('VersioningConfiguration', {});

export const S3CopyResult = xmlDocument('CopyObjectResult', { LastModified: 'text', ETag: 'text' });
export const S3CopyPartResult = xmlDocument('CopyPartResult', { LastModified: 'text', ETag: 'text' });

/** Body of a deletion of several objects. */
export const S3Delete = xmlDocument('Delete', {
  Quiet: 'flag?',
  Object: [{ Key: 'text', VersionId: 'text?', ETag: 'text?' }],
});
export const S3Deleted = xmlDocument('DeleteResult', {
  Deleted: [{ Key: 'text' }],
  Error: [{ Key: 'text', Code: 'text', Message: 'text?' }],
});

export const S3Upload = xmlDocument('InitiateMultipartUploadResult', {
  Bucket: 'text',
  Key: 'text',
  UploadId: 'text',
});

/** Body that completes a multipart upload, with parts in ascending order. */
export const S3CompleteUpload = xmlDocument('CompleteMultipartUpload', {
  Part: [{ PartNumber: 'integer', ETag: 'text' }],
});
export const S3CompletedUpload = xmlDocument('CompleteMultipartUploadResult', {
  Location: 'text?',
  Bucket: 'text',
  Key: 'text',
  ETag: 'text',
});

export const S3Parts = xmlDocument('ListPartsResult', {
  Bucket: 'text',
  Key: 'text',
  EncodingType: 'text?',
  UploadId: 'text',
  PartNumberMarker: 'integer?',
  NextPartNumberMarker: 'integer?',
  MaxParts: 'integer',
  IsTruncated: 'flag',
  Part: [{ PartNumber: 'integer', LastModified: 'text', ETag: 'text', Size: 'integer' }],
});

export const S3Uploads = xmlDocument('ListMultipartUploadsResult', {
  Bucket: 'text',
  KeyMarker: 'text?',
  UploadIdMarker: 'text?',
  NextKeyMarker: 'text?',
  NextUploadIdMarker: 'text?',
  Prefix: 'text?',
  Delimiter: 'text?',
  EncodingType: 'text?',
  MaxUploads: 'integer',
  IsTruncated: 'flag',
  Upload: [{ Key: 'text', UploadId: 'text', Initiated: 'text' }],
  CommonPrefixes: [{ Prefix: 'text' }],
});
